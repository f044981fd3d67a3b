//! Generates the table of ClickBench: its columns and types, with random values of similar kinds.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::Result;

const SMALL: &str = "JavaEnable GoodEvent CounterClass OS UserAgent IsRefresh RefererCategoryID URLCategoryID \
    ResolutionWidth ResolutionHeight ResolutionDepth FlashMajor FlashMinor NetMajor NetMinor UserAgentMajor CookieEnable \
    JavascriptEnable IsMobile MobilePhone TraficSourceID SearchEngineID AdvEngineID IsArtifical WindowClientWidth \
    WindowClientHeight ClientTimeZone SilverlightVersion1 SilverlightVersion2 SilverlightVersion4 IsLink IsDownload \
    IsNotBounce IsOldCounter IsEvent IsParameter DontCountHits WithHash Age Sex Income Interests Robotness HistoryLength \
    HTTPError SocialSourceNetworkID ParamCurrencyID HasGCLID";
const MEDIUM: &str = "CounterID ClientIP RegionID RefererRegionID URLRegionID IPNetworkID SilverlightVersion3 CodeVersion HID \
    RemoteIP WindowName OpenerName SendTiming DNSTiming ConnectTiming ResponseStartTiming ResponseEndTiming FetchTiming CLID";
const LARGE: &str = "WatchID EventTime UserID ClientEventTime FUniqID LocalEventTime ParamPrice RefererHash URLHash";
const TEXT: &str = "Title URL Referer FlashMinor2 UserAgentMinor MobilePhoneModel Params SearchPhrase PageCharset \
    OriginalURL HitColor BrowserLanguage BrowserCountry SocialNetwork SocialAction SocialSourcePage ParamOrderID \
    ParamCurrency OpenstatServiceName OpenstatCampaignID OpenstatAdID OpenstatSourceID UTMSource UTMMedium UTMCampaign \
    UTMContent UTMTerm FromTag";
const SITES: [&str; 6] = [
    "http://google.com/",
    "https://www.example.org/news/",
    "http://shop.example.com/",
    "",
    "http://a.b/",
    "https://x.y/",
];
const WORDS: [&str; 8] = ["", "", "", "Google maps", "cheap flights", "weather", "recipes", "музыка"];

/// Returns a table of `rows` rows. July 2013 and the counter 62 have many rows, because the queries select them.
pub(crate) fn hits(rows: usize) -> Result<RecordBatch> {
    /// The first day of July 2013, in days since 1970.
    const JULY: i32 = 15_887;
    let mut random = SmallRng::seed_from_u64(43);
    let days: Vec<i32> = (0..rows).map(|_| JULY + random.random_range(0..31)).collect();
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    for name in SMALL.split_whitespace() {
        let values = match name {
            "IsRefresh" | "DontCountHits" | "IsLink" | "IsDownload" | "JavaEnable" => 0..2,
            "ResolutionWidth" | "WindowClientWidth" | "WindowClientHeight" => 300..2_600,
            "TraficSourceID" => -1..10,
            "AdvEngineID" => -30..30,
            _ => 0..40,
        };
        let value = |random: &mut SmallRng| match name {
            "AdvEngineID" => random.random_range(values.clone()).max(0),
            _ => random.random_range(values.clone()),
        };
        columns.push((name, Arc::new(Int16Array::from_iter_values((0..rows).map(|_| value(&mut random))))));
    }
    for name in MEDIUM.split_whitespace() {
        let value = |random: &mut SmallRng| match name {
            "CounterID" if random.random_bool(0.3) => 62,
            "CounterID" => random.random_range(0..500),
            "RegionID" => random.random_range(0..300),
            "ClientIP" | "RemoteIP" => random.random_range(0..5_000) * 401_000 - 1_000_000_000,
            _ => random.random_range(0..10_000),
        };
        columns.push((name, Arc::new(Int32Array::from_iter_values((0..rows).map(|_| value(&mut random))))));
    }
    for name in LARGE.split_whitespace() {
        let value = |row: usize, random: &mut SmallRng| match name {
            "EventTime" | "ClientEventTime" | "LocalEventTime" => {
                i64::from(days[row]) * 86_400 + random.random_range(0..86_400)
            }
            "UserID" if random.random_bool(0.01) => 435_090_932_899_640_449,
            "UserID" => random.random_range(0..2_000) * 1_000_000_007,
            "RefererHash" if random.random_bool(0.2) => 3_594_120_000_172_545_465,
            "URLHash" if random.random_bool(0.2) => 2_868_770_270_353_813_622,
            "WatchID" => random.random(),
            _ => random.random_range(0..3_000),
        };
        columns.push((name, Arc::new(Int64Array::from_iter_values((0..rows).map(|row| value(row, &mut random))))));
    }
    for name in TEXT.split_whitespace() {
        let value = |random: &mut SmallRng| match name {
            "URL" | "Referer" | "OriginalURL" => {
                let site = SITES[random.random_range(0..SITES.len())];
                if site.is_empty() { String::new() } else { format!("{site}{}", random.random_range(0..2_000)) }
            }
            "Title" => format!("{} | {}", WORDS[random.random_range(0..WORDS.len())], random.random_range(0..500)),
            "MobilePhoneModel" => ["", "", "", "iPad", "Nexus"][random.random_range(0..5)].to_owned(),
            _ => WORDS[random.random_range(0..WORDS.len())].to_owned(),
        };
        columns.push((name, Arc::new(StringArray::from_iter_values((0..rows).map(|_| value(&mut random))))));
    }
    columns.push(("EventDate", Arc::new(Date32Array::from(days))));
    Ok(RecordBatch::try_from_iter(columns)?)
}
