//! The parser of declarations in the kernels' sources: types, constants, policies and kernels. The parser skips the
//! bodies of functions.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

use super::declarators::{Field, Written, fields, written};
use super::tokens::Token;

#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) scope: Vec<String>,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) doc: Vec<String>,
    /// The integer parameters of the struct's template.
    pub(super) parameters: Vec<String>,
    pub(super) fields: Vec<Field>,
    /// The first declaration in the struct that the contract cannot express.
    pub(super) trouble: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Enum {
    pub(super) scope: Vec<String>,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) doc: Vec<String>,
    pub(super) underlying: Vec<String>,
    pub(super) scoped: bool,
    pub(super) values: Vec<(String, Option<Vec<Token>>, Vec<String>)>,
}

#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) scope: Vec<String>,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) doc: Vec<String>,
    pub(super) written: Written,
    pub(super) value: Vec<Token>,
}

#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) doc: Vec<String>,
    /// The policy that determines the kernel's launch bounds. `None` if the kernel has no launch bounds, or states them
    /// without a policy.
    pub(super) policy: Option<String>,
    /// The family of the kernel, and the name of the kernel within the family.
    pub(super) variant: Option<(String, String)>,
    pub(super) parameters: Vec<Field>,
}

/// All declarations that the parser found. A declaration with a unique path is stored by its path.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) structs: BTreeMap<Vec<String>, Struct>,
    pub(super) enums: BTreeMap<Vec<String>, Enum>,
    pub(super) constants: BTreeMap<Vec<String>, Constant>,
    pub(super) aliases: BTreeMap<Vec<String>, Written>,
    /// The namespaces that each namespace imports with `using namespace`.
    pub(super) uses: BTreeMap<Vec<String>, Vec<Vec<String>>>,
    pub(super) policies: BTreeMap<String, [Vec<Token>; 3]>,
    pub(super) kernels: Vec<Kernel>,
    /// Structs that the host creates although no kernel has a parameter of the type. Each element is the namespace of
    /// the declaration, and the name of the struct in that namespace.
    pub(super) shared: Vec<(Vec<String>, Written)>,
}

pub(super) fn parse(tokens: &[Token]) -> Result<Declarations> {
    let mut parser = Parser { tokens, at: 0, file: String::new(), scope: Vec::new(), found: Declarations::default() };
    parser.run()?;
    Ok(parser.found)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    file: String,
    /// The open scopes. `None` stands for braces that do not open a namespace, for example those of `extern "C" {`.
    scope: Vec<Option<Vec<String>>>,
    found: Declarations,
}

impl<'a> Parser<'a> {
    fn path(&self) -> Vec<String> {
        self.scope.iter().flatten().flatten().cloned().collect()
    }

    fn peek(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is(&self, ahead: usize, text: &str) -> bool {
        self.peek(ahead).is_some_and(|token| token.is(text))
    }

    fn takes(&mut self, text: &str) -> bool {
        let found = self.is(0, text);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self) -> Result<String> {
        match self.peek(0) {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word.clone())
            }
            Some(other) => bail!("{}: expected a name, found {other}", self.file),
            None => bail!("{}: the file ends where a name is expected; complete the last declaration", self.file),
        }
    }

    fn run(&mut self) -> Result<()> {
        let mut doc = Vec::new();
        while let Some(token) = self.peek(0) {
            match token {
                Token::Doc(text) => {
                    doc.push(text.clone());
                    self.at += 1;
                    continue;
                }
                Token::File(name) => {
                    self.file.clone_from(name);
                    doc.clear();
                    self.at += 1;
                    continue;
                }
                Token::Comment(_) => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            self.declaration(std::mem::take(&mut doc))?;
        }
        Ok(())
    }

    fn declaration(&mut self, doc: Vec<String>) -> Result<()> {
        if self.takes("}") {
            self.scope.pop().with_context(|| format!("{}: a `}}` has no matching `{{`", self.file))?;
            self.takes(";");
            return Ok(());
        }
        if self.takes("namespace") {
            let mut names = Vec::new();
            while !self.takes("{") {
                if !self.takes("::") {
                    names.push(self.word()?);
                }
            }
            self.scope.push(Some(names));
            return Ok(());
        }
        if self.is(0, "extern") && matches!(self.peek(1), Some(Token::Literal(_))) {
            self.at += 2;
            if self.takes("{") {
                self.scope.push(None);
                return Ok(());
            }
            return if self.is(0, "__global__") { self.kernel(doc) } else { self.skip() };
        }
        let parameters = if self.takes("template") { self.template_parameters()? } else { Some(Vec::new()) };
        if self.is(0, "struct") {
            return self.structure(doc, parameters);
        }
        match parameters {
            Some(parameters) if parameters.is_empty() => {}
            _ => return self.skip(),
        }
        if self.is(0, "enum") {
            return self.enumeration(doc);
        }
        if self.takes("using") {
            return self.using();
        }
        if self.is(0, "GDF_POLICY") {
            return self.policy();
        }
        if self.takes("GDF_SHARED") {
            let end = self.matching()?;
            let name = written(&self.tokens[self.at + 1..end])?;
            self.found.shared.push((self.path(), name));
            self.at = end + 1;
            return self.skip();
        }
        if self.is(0, "constexpr") || (self.is(0, "inline") && self.is(1, "constexpr")) {
            return self.constant(doc);
        }
        self.skip()
    }

    /// Returns the names of a template's integer parameters, or `None` if the template has other parameters.
    fn template_parameters(&mut self) -> Result<Option<Vec<String>>> {
        if !self.takes("<") {
            bail!("{}: the word `template` must be followed by `<`", self.file);
        }
        let (mut names, mut integers, mut depth) = (Vec::new(), true, 1);
        let mut kind = None;
        while depth > 0 {
            let token = self
                .peek(0)
                .with_context(|| format!("{}: the parameters of a template have no closing `>`", self.file))?;
            self.at += 1;
            match token {
                Token::Sign("<") => depth += 1,
                Token::Sign(">") => depth -= 1,
                Token::Sign(">>") => depth -= 2,
                Token::Word(word) if kind.is_none() => kind = Some(word.as_str()),
                Token::Word(word) if depth == 1 => names.push(word.clone()),
                Token::Sign(",") if depth == 1 => {
                    integers &= kind == Some("int");
                    kind = None;
                }
                _ => {}
            }
        }
        integers &= kind == Some("int");
        // The function also returns `None` for a specialization, `template <>`, so the parser skips the specialization.
        Ok((integers && !names.is_empty()).then_some(names))
    }

    fn structure(&mut self, doc: Vec<String>, parameters: Option<Vec<String>>) -> Result<()> {
        let file = self.file.clone();
        self.at += 1;
        let name = self.word()?;
        if self.takes(";") {
            return Ok(());
        }
        let derived = self.is(0, ":");
        let special = self.is(0, "<");
        while !self.is(0, "{") {
            self.peek(0).with_context(|| format!("{}: the struct {name} has no body", self.file))?;
            self.at += 1;
        }
        let end = self.matching()?;
        self.at += 1;
        let mut made =
            Struct { scope: self.path(), name, file, doc, parameters: Vec::new(), fields: Vec::new(), trouble: None };
        if derived || special {
            made.trouble = Some("it has a base, or is a specialization".into());
        }
        match parameters {
            Some(names) => made.parameters = names,
            None => made.trouble = Some("the template has type parameters".into()),
        }
        while self.at < end {
            if let Err(trouble) = self.member(end, &mut made) {
                made.trouble.get_or_insert(format!("{trouble:#}"));
                self.at = end;
            }
        }
        self.at = end + 1;
        self.takes(";");
        if !special {
            let path = [made.scope.clone(), vec![made.name.clone()]].concat();
            self.found.structs.insert(path, made);
        }
        Ok(())
    }

    fn member(&mut self, end: usize, made: &mut Struct) -> Result<()> {
        match self.peek(0) {
            Some(Token::Comment(text)) => {
                if let Some(field) = made.fields.last_mut() {
                    field.doc.push(text.clone());
                }
                self.at += 1;
                return Ok(());
            }
            Some(Token::Doc(_) | Token::File(_)) => {
                self.at += 1;
                return Ok(());
            }
            _ => {}
        }
        // The declaration ends at `;`. A declaration of a function may end at the body of the function instead.
        let (mut at, mut parentheses, mut function) = (self.at, 0, false);
        while at < end {
            match &self.tokens[at] {
                Token::Sign("(") => {
                    parentheses += 1;
                    function = true;
                }
                Token::Sign(")") => parentheses -= 1,
                Token::Sign(";") if parentheses == 0 => break,
                Token::Sign("{") if parentheses == 0 => {
                    self.at = at;
                    let close = self.matching()?;
                    self.at = close + 1;
                    self.takes(";");
                    if function {
                        return Ok(());
                    }
                    bail!(
                        "the struct has a nested type, or a field with an initial value; declare the type outside, \
                         and the field without the value"
                    );
                }
                _ => {}
            }
            at += 1;
        }
        let words: Vec<Token> = self.tokens[self.at..at].to_vec();
        self.at = at + 1;
        let skipped = ["static", "using", "static_assert", "template", "typedef", "friend", "GDF_DEVICE"];
        if function || words.first().is_none_or(|word| skipped.iter().any(|skipped| word.is(skipped))) {
            return Ok(());
        }
        for declared in fields(&words)? {
            made.fields.push(declared);
        }
        Ok(())
    }

    fn enumeration(&mut self, doc: Vec<String>) -> Result<()> {
        let file = self.file.clone();
        self.at += 1;
        let scoped = self.takes("class") || self.takes("struct");
        if self.is(0, "{") {
            return self.skip();
        }
        let name = self.word()?;
        let mut underlying = Vec::new();
        if self.takes(":") {
            while !self.is(0, "{") {
                underlying.push(self.word()?);
            }
        }
        let end = self.matching()?;
        self.at += 1;
        let mut values: Vec<(String, Option<Vec<Token>>, Vec<String>)> = Vec::new();
        while self.at < end {
            match self.peek(0) {
                Some(Token::Comment(text)) => {
                    if let Some((_, _, doc)) = values.last_mut() {
                        doc.push(text.clone());
                    }
                    self.at += 1;
                }
                Some(Token::Word(name)) => {
                    self.at += 1;
                    let mut value = None;
                    if self.takes("=") {
                        let from = self.at;
                        while self.at < end && !self.is(0, ",") && !matches!(self.peek(0), Some(Token::Comment(_))) {
                            self.at += 1;
                        }
                        value = Some(self.tokens[from..self.at].to_vec());
                    }
                    values.push((name.clone(), value, Vec::new()));
                }
                _ => self.at += 1,
            }
        }
        self.at = end + 1;
        self.takes(";");
        let made = Enum { scope: self.path(), name, file, doc, underlying, scoped, values };
        self.found.enums.insert([made.scope.clone(), vec![made.name.clone()]].concat(), made);
        Ok(())
    }

    fn using(&mut self) -> Result<()> {
        let from = self.at;
        self.skip()?;
        let words = &self.tokens[from..self.at - 1];
        let scope = self.path();
        let names = |tokens: &[Token]| -> Vec<String> {
            let name = |token: &Token| if let Token::Word(word) = token { Some(word.clone()) } else { None };
            tokens.iter().filter_map(name).collect()
        };
        if words.first().is_some_and(|word| word.is("namespace")) {
            self.found.uses.entry(scope).or_default().push(names(&words[1..]));
        } else if let Some(equals) = words.iter().position(|word| word.is("=")) {
            // Other aliases, for example of the members of a template, are ignored.
            if let (Some(Token::Word(name)), Ok(written)) = (words.first(), written(&words[equals + 1..])) {
                self.found.aliases.insert([scope, vec![name.clone()]].concat(), written);
            }
        } else if let Some(name) = names(words).last() {
            let written = Written { path: names(words), arguments: Vec::new(), pointers: Vec::new() };
            self.found.aliases.insert([scope, vec![name.clone()]].concat(), written);
        }
        Ok(())
    }

    fn policy(&mut self) -> Result<()> {
        self.at += 1;
        let end = self.matching()?;
        let mut parts = vec![Vec::new()];
        for token in &self.tokens[self.at + 1..end] {
            if token.is(",") {
                parts.push(Vec::new());
            } else {
                parts.last_mut().expect("one at least").push(token.clone());
            }
        }
        self.at = end + 1;
        self.takes(";");
        let Ok([name, threads, items, blocks]) = <[Vec<Token>; 4]>::try_from(parts) else {
            bail!("{}: GDF_POLICY needs four arguments: name, threads, items, blocks", self.file);
        };
        let [Token::Word(name)] = &name[..] else {
            bail!("{}: the first argument of GDF_POLICY must be a name", self.file)
        };
        self.found.policies.insert(name.clone(), [threads, items, blocks]);
        Ok(())
    }

    fn constant(&mut self, doc: Vec<String>) -> Result<()> {
        let from = self.at + 1 + usize::from(self.is(0, "inline"));
        self.skip()?;
        let words = &self.tokens[from..self.at];
        let Some(equals) = words.iter().position(|word| word.is("=")) else { return Ok(()) };
        let left = &words[..equals];
        // The declaration of a function or of a constant with a template type is ignored.
        if left.iter().any(|word| word.is("(") || word.is("<")) {
            return Ok(());
        }
        let Some((Token::Word(name), kind)) = left.split_last() else { return Ok(()) };
        let semicolon = words.iter().position(|word| word.is(";")).unwrap_or(words.len());
        let Ok(written) = written(kind) else { return Ok(()) };
        let mut doc = doc;
        if let (true, Some(Token::Comment(text))) = (doc.is_empty(), self.peek(0)) {
            doc.push(text.clone());
        }
        let (scope, file, value) = (self.path(), self.file.clone(), words[equals + 1..semicolon].to_vec());
        let made = Constant { scope, name: name.clone(), file, doc, written, value };
        self.found.constants.insert([made.scope.clone(), vec![made.name.clone()]].concat(), made);
        Ok(())
    }

    /// Parses a kernel. The current token is `__global__`.
    fn kernel(&mut self, doc: Vec<String>) -> Result<()> {
        self.at += 1;
        let (mut policy, mut variant) = (None, None);
        let name = loop {
            if self.is(0, "GDF_BOUNDS") || self.is(0, "__launch_bounds__") || self.is(0, "GDF_VARIANT") {
                let which = self.word()?;
                let end = self.matching()?;
                let inner = &self.tokens[self.at + 1..end];
                match (which.as_str(), inner) {
                    ("GDF_BOUNDS", [Token::Word(name)]) => policy = Some(name.clone()),
                    ("GDF_VARIANT", [Token::Word(family), comma, Token::Word(which)]) if comma.is(",") => {
                        variant = Some((family.clone(), which.clone()));
                    }
                    ("__launch_bounds__", _) => {}
                    _ => bail!("{}: the arguments of {which} must be names", self.file),
                }
                self.at = end + 1;
                continue;
            }
            let word = self.word()?;
            if self.is(0, "(") {
                break word;
            }
            if word != "void" {
                bail!("{}: a kernel has {word} before its name; only void is expected there", self.file);
            }
        };
        let Some(name) = name.strip_suffix("_kernel").map(str::to_owned) else {
            bail!("{}: the name of the kernel {name} must end in `_kernel`", self.file);
        };
        let end = self.matching()?;
        let inside = &self.tokens[self.at + 1..end];
        self.at = end + 1;
        let mut parameters = Vec::new();
        let (mut depth, mut from) = (0, 0);
        for (at, token) in inside.iter().enumerate() {
            match token {
                Token::Sign("<" | "(") => depth += 1,
                Token::Sign(">" | ")") => depth -= 1,
                Token::Sign(",") if depth == 0 => {
                    parameters.extend(fields(&inside[from..at])?);
                    from = at + 1;
                }
                _ => {}
            }
        }
        if from < inside.len() {
            parameters.extend(fields(&inside[from..])?);
        }
        self.found.kernels.push(Kernel { name, file: self.file.clone(), doc, policy, variant, parameters });
        self.skip()
    }

    /// Returns the position of the token that closes the brace, bracket or parenthesis at the current position.
    fn matching(&self) -> Result<usize> {
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                Token::Sign("(" | "{" | "[") => depth += 1,
                Token::Sign(")" | "}" | "]") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(at);
            }
        }
        bail!("{}: a brace, bracket or parenthesis is not closed", self.file)
    }

    /// Skips a declaration. The declaration ends with `;` or with its body.
    fn skip(&mut self) -> Result<()> {
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign(";") => {
                    self.at += 1;
                    return Ok(());
                }
                Token::Sign("{") => {
                    self.at = self.matching()? + 1;
                    // The value of a constant may be in braces, and may continue after them.
                    if self.takes(";") || !self.is(0, ",") {
                        return Ok(());
                    }
                }
                Token::Sign("(" | "[") => self.at = self.matching()? + 1,
                Token::Sign("}") => return Ok(()),
                _ => self.at += 1,
            }
        }
        Ok(())
    }
}
