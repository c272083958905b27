//! 智居 (zhiju): an on-device natural-language daemon for a smart-home hub.
//!
//! Data flows one way, left to right; nothing on the right is imported by anything on its left.
//!
//! ```text
//! transport ──► service ──► interpret ──► retrieval ──► resolve ──► frame ──► transport
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`audit`] | what the audit trail says |
//! | [`embedding`] | vectors from texts: the candle encoder, its thread, the cache, the index |
//! | [`home`] | what the home is: devices, rooms, groups, scenes, live state |
//! | [`daemon`] | composition root: wires the parts, supervises them, stops them |
//! | [`dial`] | how others are reached: TLS, back off, WebSockets |
//! | [`dispatch`] | who serves which request when |
//! | [`door`] | the ways in: who asks, and how they hear what becomes of it |
//! | [`frame`] | the wire: frames, instructs, error codes |
//! | [`hub`] | hubs' own words for devices, state and instructs, and ours |
//! | [`ledger`] | accounts of what was said lately and what came of it |
//! | [`listen`] | sockets that others connect to, bounded |
//! | [`observe`] | the log, the metrics, the service manager |
//! | [`outbox`] | instructs on their way to the broker |
//! | [`outcome`] | what became of instructs, as their devices tell |
//! | [`service`] | the life of one utterance |
//! | [`transport`] | MQTT: topics, the connection to the broker, an embedded broker |
//! | [`config`] | `zhiju.yaml`, variables and flags, checked as a whole |
//! | [`llm`] | language models as parsers: HTTP client, prompt, cascade, counters |
//! | [`gist`] | what a sentence means by similarity, where the grammar is not sure |
//! | [`ranker`] | learned: of all that a home can be told, what a sentence most likely tells |
//! | [`reader`] | learned: which words of a sentence tell something to do |
//! | [`interpret`] | who says what an utterance means, from cheap to expensive, and what that rests on |
//! | [`language`] | sentences as orders: lexicon, segmentation, times, the grammar, the protocol |
//! | [`retrieval`] | names found by spelling and sound |
//! | [`resolve`] | from orders to instructs, questions and answers |
//! | [`dialogue`] | the page: what was said before, and what a sentence means in it |
//! | [`context`] | the few devices that matter, as YAML for an agent |
//! | [`job`] | what is to be done later |
//! | [`sorted`] | small maps of which a home keeps thousands |
//! | [`text`] | normalisation, pinyin, similarity of strings |
//! | [`cli`] | the command line |
//! | [`clock`] | time since the start of the machine, and what the wall clock says |
//! | [`zh`] | all that is Chinese and no home's own |
//! | [`store`] | the database: what outlives a restart, and when it is safe |

pub mod audit;
pub mod cli;
pub mod clock;
pub mod config;
pub mod context;
pub mod daemon;
pub mod dial;
pub mod dialogue;
pub mod dispatch;
pub mod door;
pub mod embedding;
pub mod frame;
pub mod gist;
pub mod home;
pub mod hub;
pub mod interpret;
pub mod job;
pub mod language;
pub mod ledger;
pub mod listen;
pub mod llm;
pub mod observe;
pub mod outbox;
pub mod outcome;
pub mod ranker;
pub mod reader;
pub mod resolve;
pub mod retrieval;
pub mod service;
pub mod sorted;
pub mod store;
pub mod text;
pub mod transport;
pub mod zh;
