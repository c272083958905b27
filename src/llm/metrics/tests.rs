use super::*;

fn used() -> ParserMetrics {
    let metrics = ParserMetrics::new([("qwen", Some(Price { prompt: 2.0, completion: 8.0 })), ("idle", None)]);
    let grammar = metrics.parser(GRAMMAR).unwrap();
    grammar.ended(End::Sure, Duration::from_micros(400));
    let qwen = metrics.parser("qwen").unwrap();
    qwen.ended(End::Sure, Duration::from_millis(300));
    qwen.ended(End::Failed, Duration::from_secs(60));
    qwen.ended(End::Skipped, Duration::ZERO);
    qwen.because("deadline");
    qwen.because("who knows");
    qwen.tokens(1_000_000, 500_000);
    metrics
}

#[test]
fn a_tally_tells_what_was_and_only_that() {
    let tallies = used().tallies(|_| None);
    assert_eq!(tallies.iter().map(|t| t.parser.as_str()).collect::<Vec<_>>(), ["grammar", "qwen"]);
    let qwen = &tallies[1];
    assert_eq!((qwen.calls, qwen.p50_ms, qwen.p95_ms), (2, Some(500), None));
    assert_eq!(qwen.ends, [("sure", 1), ("failed", 1), ("skipped", 1)].into());
    assert_eq!(qwen.reasons, [("deadline", 1), ("other", 1)].into());
    assert_eq!((qwen.tokens, qwen.cost), (1_500_000, Some(6.0)));
    assert_eq!(qwen.to_string(), "qwen 2 failed 1 skipped 1 sure 1 deadline 1 other 1 p50 500 ms cost 6.0000");
}

#[test]
fn a_parser_that_cannot_be_asked_is_told_of_with_the_reason() {
    let tallies = used().tallies(|name| match name {
        "idle" => Some(Hindrance::Unusable("no file".into())),
        "qwen" => Some(Hindrance::Breaker("open")),
        _ => None,
    });
    let [_, qwen, idle] = &tallies[..] else { panic!("{tallies:?}") };
    let json = |tally| serde_json::to_value(tally).unwrap();
    assert_eq!((&json(qwen)["breaker"], json(qwen).get("unusable")), (&"open".into(), None));
    assert_eq!((&json(idle)["unusable"], json(idle).get("breaker")), (&"no file".into(), None));
    assert!(qwen.to_string().ends_with(" breaker open") && idle.to_string().ends_with(" unusable"));
}

#[test]
fn more_tokens_than_can_be_counted_are_no_reason_to_end() {
    let metrics = ParserMetrics::new([("qwen", None)]);
    metrics.parser("qwen").unwrap().tokens(u64::MAX, u64::MAX);
    metrics.parser("qwen").unwrap().ended(End::Sure, Duration::ZERO);
    assert_eq!(metrics.tallies(|_| None)[0].tokens, u64::MAX);
}

#[test]
fn prometheus_reads_the_same() {
    let mut registry = Registry::with_prefix("zhiju");
    used().register(&mut registry);
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
    for line in [
        "zhiju_parser_calls_total{parser=\"qwen\",end=\"sure\"} 1",
        "zhiju_parser_reasons_total{parser=\"qwen\",reason=\"deadline\"} 1",
        "zhiju_parser_tokens_total{parser=\"qwen\",kind=\"prompt\"} 1000000",
        "zhiju_parser_cost_total{parser=\"qwen\"} 6",
        "zhiju_parser_duration_seconds_bucket{le=\"0.5\",parser=\"qwen\"} 1",
        "zhiju_parser_duration_seconds_count{parser=\"qwen\"} 2",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[test]
fn every_reason_of_the_protocol_and_of_a_client_is_known() {
    use crate::language::protocol::ProtocolProblem as P;
    let protocol = [
        P::NotAnArray(String::new()),
        P::Empty,
        P::Invalid { index: 0, reason: "" },
        P::Mended { index: 0, what: "" },
        P::Widened { index: 0, what: "" },
        P::Condition { index: 0 },
        P::TooMany,
        P::Salvaged,
        P::TooLong,
    ];
    assert!(protocol.iter().all(|p| REASONS.contains(&p.reason())));
}
