//! Similarity of spelling.

/// Dice coefficient of character bigrams, 0 to 1; for a single character, whether the other contains it.
pub fn bigram_similarity(a: &str, b: &str) -> f32 {
    let grams = |s: &str| -> Vec<(char, char)> {
        let chars: Vec<char> = s.chars().collect();
        chars.windows(2).map(|w| (w[0], w[1])).collect()
    };
    let (left, mut right) = (grams(a), grams(b));
    let total = left.len() + right.len();
    if total == 0 {
        return if a == b { 1.0 } else { 0.0 };
    }
    let mut shared = 0;
    for gram in &left {
        if let Some(at) = right.iter().position(|g| g == gram) {
            right.swap_remove(at);
            shared += 1;
        }
    }
    2.0 * shared as f32 / total as f32
}

/// Whether every character of `part` occurs in `whole`, in order (`床灯` in `床头灯`).
pub fn contains_chars(whole: &str, part: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|c| rest.any(|w| w == c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_score_higher_than_others() {
        assert_eq!(bigram_similarity("床头灯", "床头灯"), 1.0);
        assert!(bigram_similarity("床头灯", "左床头灯") > 0.7);
        assert_eq!(bigram_similarity("床头灯", "空调"), 0.0);
    }

    #[test]
    fn characters_in_order_are_found() {
        assert!(contains_chars("左床头灯", "床灯"));
        assert!(!contains_chars("左床头灯", "灯床"));
    }
}
