//! Who may come in by HTTP, and what for.

use std::fmt;

use sha2::{Digest, Sha256};

/// Tokens of one file.
const MAX_TOKENS: usize = 64;

/// Bytes of a secret: no less, so that it cannot be guessed; no more, so that it fits a header.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 16..=256;

/// What a token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Speak to the home.
    Ask,
    /// See what there is and how it is.
    See,
    /// Change what the daemon keeps.
    Manage,
}

/// The SHA-256 of a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fingerprint([u8; 32]);

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Somebody who may come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) name: String,
    rights: Vec<Right>,
    secret: Fingerprint,
}

/// Everybody who may come in. The secrets themselves are not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    tokens: Vec<Token>,
}

impl Tokens {
    /// Reads the lines of a file: `NAME RIGHTS SECRET`, the rights with commas between them, the secret itself or
    /// `sha256:` and its SHA-256 in hexadecimal. Empty lines and those that begin with `#` are left out.
    ///
    /// # Errors
    /// What is wrong, by the number of its line; never the secret.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut tokens: Vec<Token> = Vec::new();
        let lines = text.lines().map(str::trim).enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let token = token(line).map_err(|why| format!("line {}: {why}", at + 1))?;
            if tokens.iter().any(|other| other.name == token.name || other.secret == token.secret) {
                return Err(format!("line {}: this name or secret is there already", at + 1));
            }
            tokens.push(token);
        }
        match tokens.len() {
            0 => Err("holds no token".into()),
            many if many > MAX_TOKENS => Err(format!("holds {many} tokens; at most {MAX_TOKENS} are read")),
            _ => Ok(Self { tokens }),
        }
    }

    /// Whose secret this is, and whether they have this right. What is compared are fingerprints: how long that takes tells
    /// nothing of the secrets.
    pub(super) fn find(&self, secret: &str, right: Option<Right>) -> Option<(&Token, bool)> {
        let shown = fingerprint(secret.as_bytes());
        let found = self.tokens.iter().find(|token| token.secret == shown)?;
        Some((found, right.is_none_or(|right| found.rights.contains(&right))))
    }

    /// Whether a token of an earlier file is still there, with the same name and secret and this right.
    pub(super) fn hold(&self, earlier: &Token, right: Option<Right>) -> bool {
        let same = |token: &&Token| token.name == earlier.name && token.secret == earlier.secret;
        let found = self.tokens.iter().find(same);
        found.is_some_and(|token| right.is_none_or(|right| token.rights.contains(&right)))
    }

    /// Whether the token of this name has a right.
    pub(super) fn may(&self, name: &str, right: Right) -> bool {
        self.tokens.iter().any(|token| token.name == name && token.rights.contains(&right))
    }
}

fn token(line: &str) -> Result<Token, &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, rights, secret] = words[..] else { return Err("must be NAME RIGHTS SECRET") };
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.len() > 64 || !name.chars().all(sound) {
        return Err("the name must be of at most 64 letters, digits, - _ and .");
    }
    let rights =
        rights.split(',').map(right).collect::<Option<Vec<Right>>>().ok_or("rights are ask, see and manage")?;
    let secret = match secret.strip_prefix("sha256:") {
        Some(hex) => from_hex(hex).ok_or("sha256: must be followed by 64 hexadecimal digits")?,
        None if !SECRET_BYTES.contains(&secret.len()) => return Err("the secret must have 16 to 256 characters"),
        None if !secret.bytes().all(|b| b.is_ascii_graphic()) => return Err("the secret must be plain ASCII"),
        None => fingerprint(secret.as_bytes()),
    };
    Ok(Token { name: name.to_owned(), rights, secret })
}

fn right(word: &str) -> Option<Right> {
    match word {
        "ask" => Some(Right::Ask),
        "see" => Some(Right::See),
        "manage" => Some(Right::Manage),
        _ => None,
    }
}

fn fingerprint(secret: &[u8]) -> Fingerprint {
    Fingerprint(Sha256::digest(secret).into())
}

fn from_hex(hex: &str) -> Option<Fingerprint> {
    let digits: Vec<u8> =
        hex.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    Some(Fingerprint(bytes.try_into().ok()?)).filter(|_| hex.len() == 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# who may come in\nphone ask,see 0123456789abcdef0123\n\n\
        agent ask sha256:98e4a3d7d80ce0e4d4eed9baf57ba60f3e5d2e7a4b2eb7d8a2f6ff1d2d1b2c3d\n";

    #[test]
    fn a_secret_is_known_by_itself_or_by_its_fingerprint() {
        let hex: String = fingerprint(b"fedcba98765432100000").0.iter().map(|byte| format!("{byte:02x}")).collect();
        let tokens = Tokens::read(&format!("a ask 0123456789abcdef0123\nb see,ask sha256:{hex}")).unwrap();
        let find = |secret, right| tokens.find(secret, right).map(|(token, may)| (token.name.as_str(), may));
        assert_eq!(find("0123456789abcdef0123", Some(Right::Ask)), Some(("a", true)));
        assert_eq!(find("0123456789abcdef0123", Some(Right::See)), Some(("a", false)));
        assert_eq!(find("fedcba98765432100000", Some(Right::See)), Some(("b", true)));
        assert_eq!(find(&hex, None), None, "the fingerprint is no secret");
        assert_eq!(find("", None), None);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line_and_not_told() {
        assert_eq!(Tokens::read(FILE).unwrap().tokens.len(), 2);
        for (text, said) in [
            ("", "holds no token"),
            ("phone ask", "line 1: must be NAME RIGHTS SECRET"),
            ("phone ask short", "line 1: the secret must have 16 to 256 characters"),
            ("# x\npho/ne ask 0123456789abcdef", "line 2: the name"),
            ("phone all 0123456789abcdef", "line 1: rights are"),
            ("phone ask sha256:123", "line 1: sha256:"),
            ("a ask 0123456789abcdef\nb ask 0123456789abcdef", "line 2: this name or secret"),
        ] {
            let error = Tokens::read(text).unwrap_err();
            assert!(error.starts_with(said) && !error.contains("abcdef"), "{error}");
        }
    }

    #[test]
    fn secrets_have_no_text_form() {
        let text = format!("{:?}", Tokens::read("a ask 0123456789abcdef0123").unwrap());
        assert!(!text.contains("0123456789") && !text.contains("[1"), "{text}");
    }
}
