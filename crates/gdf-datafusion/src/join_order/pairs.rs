//! The enumeration of all ways to join connected sets of relations, and the search for the cheapest join tree.
//!
//! The enumeration is algorithm DPccp of G. Moerkotte and T. Neumann, "Analysis of Two Existing and One New Dynamic
//! Programming Algorithm for the Generation of Optimal Bushy Join Trees without Cross Products", VLDB 2006. If a graph
//! has more pairs than [`MAX_PAIRS`], the search is greedy: the two trees whose join returns the fewest rows are joined
//! first.

use std::collections::HashMap;

/// A set of relations, one bit for each.
pub(super) type Set = u64;

/// The largest number of relations of a graph.
pub(super) const MAX_RELATIONS: usize = 64;

/// The largest number of pairs that are enumerated.
const MAX_PAIRS: usize = 20_000;

/// A join tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Relation(usize),
    Join(Box<[Tree; 2]>),
}

impl Tree {
    pub(super) fn join(left: Tree, right: Tree) -> Tree {
        Tree::Join(Box::new([left, right]))
    }

    pub(super) fn set(&self) -> Set {
        match self {
            Tree::Relation(relation) => 1 << relation,
            Tree::Join(sides) => sides[0].set() | sides[1].set(),
        }
    }

    /// Returns the cost of the tree: the total number of rows that its joins return.
    pub(super) fn cost(&self, rows: &mut impl FnMut(Set) -> f64) -> f64 {
        match self {
            Tree::Relation(_) => 0.0,
            Tree::Join(sides) => rows(self.set()) + sides[0].cost(rows) + sides[1].cost(rows),
        }
    }
}

/// The graph of the joins: for each relation, the relations that it is joined to.
#[derive(Debug)]
pub(super) struct Graph {
    neighbors: Vec<Set>,
}

impl Graph {
    /// Makes a graph. `relations` is at most [`MAX_RELATIONS`].
    pub(super) fn new(relations: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Graph {
        let mut neighbors = vec![0; relations];
        for (one, other) in edges {
            neighbors[one] |= 1 << other;
            neighbors[other] |= 1 << one;
        }
        Graph { neighbors }
    }

    /// Returns the relations outside of `set` that are joined to a relation in `set`.
    fn around(&self, set: Set) -> Set {
        members(set).fold(0, |all, relation| all | self.neighbors[relation]) & !set
    }

    /// Returns the cheapest tree. `rows` returns the number of rows of the join of a set. Unconnected parts of the
    /// graph are joined last, smallest first, without a condition.
    pub(super) fn cheapest(&self, rows: &mut impl FnMut(Set) -> f64) -> Tree {
        let mut rest: Set = if self.neighbors.len() == MAX_RELATIONS { !0 } else { (1 << self.neighbors.len()) - 1 };
        let mut parts = Vec::new();
        while rest != 0 {
            let part = self.part(rest);
            rest &= !part;
            parts.push((rows(part), self.cheapest_of_part(part, rows)));
        }
        parts.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let trees = parts.into_iter().map(|(_, tree)| tree);
        trees.reduce(Tree::join).unwrap_or(Tree::Relation(0))
    }

    /// Returns the relations that are connected to the first relation of `set`.
    fn part(&self, set: Set) -> Set {
        let mut part = lowest(set);
        loop {
            let next = part | self.around(part);
            if next == part {
                return part;
            }
            part = next;
        }
    }

    fn cheapest_of_part(&self, part: Set, rows: &mut impl FnMut(Set) -> f64) -> Tree {
        let Some(mut pairs) = self.pairs(part) else { return self.greedy(part, rows) };
        // The trees of both sides of a pair must be known before the pair is used.
        pairs.sort_by_key(|(one, other)| (one | other).count_ones());
        let single = |relation: usize| ((1 as Set) << relation, (0.0, Tree::Relation(relation)));
        let mut best: HashMap<Set, (f64, Tree)> = members(part).map(single).collect();
        for (one, other) in pairs {
            let (Some((cost_one, left)), Some((cost_other, right))) = (best.get(&one), best.get(&other)) else {
                continue;
            };
            let cost = cost_one + cost_other + rows(one | other);
            if best.get(&(one | other)).is_some_and(|(known, _)| *known <= cost) {
                continue;
            }
            let tree = sides(left.clone(), right.clone(), rows);
            best.insert(one | other, (cost, tree));
        }
        best.remove(&part).map_or_else(|| self.greedy(part, rows), |(_, tree)| tree)
    }

    fn greedy(&self, part: Set, rows: &mut impl FnMut(Set) -> f64) -> Tree {
        let mut trees: Vec<Tree> = members(part).map(Tree::Relation).collect();
        while trees.len() > 1 {
            let mut best: Option<(f64, usize, usize)> = None;
            for one in 0..trees.len() {
                let around = self.around(trees[one].set());
                for other in one + 1..trees.len() {
                    if around & trees[other].set() == 0 {
                        continue;
                    }
                    let size = rows(trees[one].set() | trees[other].set());
                    if best.is_none_or(|(known, ..)| size < known) {
                        best = Some((size, one, other));
                    }
                }
            }
            let Some((_, one, other)) = best else { break };
            let right = trees.swap_remove(other);
            let left = std::mem::replace(&mut trees[one], Tree::Relation(0));
            trees[one] = sides(left, right, rows);
        }
        trees.swap_remove(0)
    }

    /// Returns all pairs of disjoint connected sets that are joined to each other. Each pair occurs once. Returns
    /// `None` if there are too many pairs or connected sets.
    fn pairs(&self, part: Set) -> Option<Vec<(Set, Set)>> {
        let mut pairs = Vec::new();
        let mut sets = Vec::new();
        for first in members(part).collect::<Vec<_>>().into_iter().rev() {
            sets.push(1 << first);
            self.grow(1 << first, up_to(first), part, &mut sets)?;
        }
        for set in sets {
            let excluded = up_to(set.trailing_zeros() as usize) | set;
            let around = self.around(set) & part & !excluded;
            for first in members(around).collect::<Vec<_>>().into_iter().rev() {
                let mut others = vec![1 << first];
                self.grow(1 << first, excluded | (up_to(first) & around), part, &mut others)?;
                pairs.extend(others.into_iter().map(|other| (set, other)));
                if pairs.len() > MAX_PAIRS {
                    return None;
                }
            }
        }
        Some(pairs)
    }

    /// Adds all connected sets that contain `set` and more relations, but none of `excluded`.
    fn grow(&self, set: Set, excluded: Set, part: Set, found: &mut Vec<Set>) -> Option<()> {
        let around = self.around(set) & part & !excluded;
        if around == 0 {
            return Some(());
        }
        let mut subset = lowest(around);
        let mut subsets = Vec::new();
        loop {
            subsets.push(subset);
            found.push(set | subset);
            if found.len() > MAX_PAIRS {
                return None;
            }
            if subset == around {
                break;
            }
            // The next larger subset of `around`, as a number.
            subset = subset.wrapping_sub(around) & around;
        }
        subsets.into_iter().try_for_each(|subset| self.grow(set | subset, excluded | around, part, found))
    }
}

/// Joins two trees. The tree with fewer rows is the left side, from which DataFusion builds the hash table.
fn sides(one: Tree, other: Tree, rows: &mut impl FnMut(Set) -> f64) -> Tree {
    match rows(one.set()) <= rows(other.set()) {
        true => Tree::join(one, other),
        false => Tree::join(other, one),
    }
}

fn lowest(set: Set) -> Set {
    set & set.wrapping_neg()
}

fn up_to(relation: usize) -> Set {
    (!0) >> (MAX_RELATIONS - 1 - relation)
}

fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let relation = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(relation)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn is_connected(graph: &Graph, set: Set) -> bool {
        let mut reached = lowest(set);
        loop {
            let next = reached | (graph.around(reached) & set);
            if next == reached {
                return reached == set;
            }
            reached = next;
        }
    }

    fn random(relations: usize, random: &mut SmallRng) -> Graph {
        let tree = (1..relations).map(|relation| (relation, random.random_range(0..relation))).collect::<Vec<_>>();
        let count = random.random_range(0..=relations);
        let more = (0..count).map(|_| (random.random_range(0..relations), random.random_range(0..relations)));
        let edges: Vec<_> = tree.into_iter().chain(more).filter(|(one, other)| one != other).collect();
        Graph::new(relations, edges)
    }

    /// Finds the cost of the cheapest tree by trying all divisions of a set.
    fn naive(graph: &Graph, set: Set, rows: &mut impl FnMut(Set) -> f64) -> f64 {
        if set.count_ones() == 1 {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        let mut one = lowest(set);
        while one != set {
            let other = set & !one;
            if is_connected(graph, one) && is_connected(graph, other) && graph.around(one) & other != 0 {
                best = best.min(naive(graph, one, rows) + naive(graph, other, rows));
            }
            one = one.wrapping_sub(set) & set;
        }
        best + rows(set)
    }

    #[test]
    fn pairs_are_those_of_the_definition() {
        let mut numbers = SmallRng::seed_from_u64(7);
        for turn in 0..200 {
            let relations = 2 + turn % 6;
            let graph = random(relations, &mut numbers);
            let all: Set = (1 << relations) - 1;
            let pairs = graph.pairs(all).unwrap();
            let mut expected = HashSet::new();
            for one in 1..=all {
                for other in one + 1..=all {
                    let is_pair = one & other == 0 && graph.around(one) & other != 0;
                    if is_pair && is_connected(&graph, one) && is_connected(&graph, other) {
                        expected.insert((one, other));
                    }
                }
            }
            let found: HashSet<_> = pairs.iter().map(|(one, other)| (*one.min(other), *one.max(other))).collect();
            assert_eq!(found, expected, "{graph:?}");
            assert_eq!(pairs.len(), found.len(), "a pair occurs twice in {graph:?}");
        }
    }

    #[test]
    fn the_tree_is_the_cheapest() {
        let mut numbers = SmallRng::seed_from_u64(11);
        for turn in 0..100 {
            let relations = 2 + turn % 6;
            let graph = random(relations, &mut numbers);
            let sizes: Vec<f64> = (0..1 << relations).map(|_| numbers.random_range(1.0..1e6)).collect();
            let mut rows = |set: Set| sizes[set as usize];
            let tree = graph.cheapest(&mut rows);
            let (found, expected) = (tree.cost(&mut rows), naive(&graph, (1 << relations) - 1, &mut rows));
            assert!((found - expected).abs() < 1e-6 * expected, "{found} and {expected} for {graph:?}");
        }
    }

    #[test]
    fn large_and_divided_graphs_have_trees() {
        let clique = (0..30).flat_map(|one| (0..one).map(move |other| (one, other)));
        let tree = Graph::new(30, clique).cheapest(&mut |set| f64::from(set.count_ones()));
        assert_eq!(tree.set(), (1 << 30) - 1);
        let chain = Graph::new(MAX_RELATIONS, (1..MAX_RELATIONS).map(|at| (at - 1, at)));
        assert_eq!(chain.cheapest(&mut |set| f64::from(set.count_ones())).set(), !0);
        let divided = Graph::new(4, [(0, 1), (2, 3)]).cheapest(&mut |set| f64::from(set.count_ones()));
        assert_eq!(divided.set(), 0b1111);
    }
}
