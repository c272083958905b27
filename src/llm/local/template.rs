//! How a chat is written for a model, in tokens: marks by their ids, everything else as text that can become no mark.

use super::architecture::Architecture;
use super::vocabulary::{Vocabulary, VocabularyError};

/// A way of writing chats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Template {
    /// `<|im_start|>role … <|im_end|>`.
    ChatMl {
        /// Whether the model would think first if it were not told that it has.
        thinks: bool,
    },
    /// `<|start_header_id|>role<|end_header_id|> … <|eot_id|>`.
    Llama3,
    /// `[INST] <<SYS>> … <</SYS>> … [/INST]`.
    Llama2,
}

/// A piece of a chat.
enum Piece<'a> {
    Mark(&'static str),
    Text(&'a str),
}

use Piece::{Mark, Text};

impl Template {
    /// The template of a model; `None` when none is known for it. `written` is the one that its metadata carry: a
    /// program, which is only looked at for what it contains.
    pub(super) fn of(architecture: Architecture, vocabulary: &Vocabulary, written: Option<&str>) -> Option<Self> {
        let knows = |marks: &[&'static str]| marks.iter().all(|mark| vocabulary.mark(mark).is_ok());
        if knows(&["<|im_start|>", "<|im_end|>"]) {
            let thinks = architecture == Architecture::Qwen3 && knows(&["<think>", "</think>"]);
            return Some(Self::ChatMl { thinks });
        }
        if knows(&["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]) {
            return Some(Self::Llama3);
        }
        let llama2 = knows(&["<s>"]) && written.is_some_and(|template| template.contains("[INST]"));
        llama2.then_some(Self::Llama2)
    }

    /// Everything up to the sentence.
    pub(super) fn before(self, prefix: &str, vocabulary: &Vocabulary) -> Result<Vec<u32>, VocabularyError> {
        let pieces: &[Piece<'_>] = match self {
            Self::ChatMl { .. } => &[
                Mark("<|im_start|>"),
                Text("system\n"),
                Text(prefix),
                Mark("<|im_end|>"),
                Text("\n"),
                Mark("<|im_start|>"),
                Text("user\n"),
            ],
            Self::Llama3 => &[
                Mark("<|begin_of_text|>"),
                Mark("<|start_header_id|>"),
                Text("system"),
                Mark("<|end_header_id|>"),
                Text("\n\n"),
                Text(prefix),
                Mark("<|eot_id|>"),
                Mark("<|start_header_id|>"),
                Text("user"),
                Mark("<|end_header_id|>"),
                Text("\n\n"),
            ],
            Self::Llama2 => &[Mark("<s>"), Text("[INST] <<SYS>>\n"), Text(prefix), Text("\n<</SYS>>\n\n")],
        };
        tokens(pieces, vocabulary)
    }

    /// The sentence and everything up to the answer.
    pub(super) fn after(self, sentence: &str, vocabulary: &Vocabulary) -> Result<Vec<u32>, VocabularyError> {
        let mut pieces = vec![Text(sentence)];
        match self {
            Self::ChatMl { thinks } => {
                pieces.extend([Mark("<|im_end|>"), Text("\n"), Mark("<|im_start|>"), Text("assistant\n")]);
                if thinks {
                    pieces.extend([Mark("<think>"), Text("\n\n"), Mark("</think>"), Text("\n\n")]);
                }
            }
            Self::Llama3 => pieces.extend([
                Mark("<|eot_id|>"),
                Mark("<|start_header_id|>"),
                Text("assistant"),
                Mark("<|end_header_id|>"),
                Text("\n\n"),
            ]),
            Self::Llama2 => pieces.push(Text(" [/INST]")),
        }
        tokens(&pieces, vocabulary)
    }
}

fn tokens(pieces: &[Piece<'_>], vocabulary: &Vocabulary) -> Result<Vec<u32>, VocabularyError> {
    let mut tokens = Vec::new();
    for piece in pieces {
        match piece {
            Mark(mark) => tokens.push(vocabulary.mark(mark)?),
            Text(text) => tokens.extend(vocabulary.encode(text)?),
        }
    }
    Ok(tokens)
}
