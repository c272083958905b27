//! The WebSocket pipe.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame};
use zhiju::door::http::{PIPE, Tokens};

use super::clients::{Pipe, connect, connect_from, get};
use super::{House, SECRET};
use crate::common::{request, within};

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_are_in_flight_on_one_pipe_and_none_is_lost() {
    let house = House::open().await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    let rids: BTreeSet<String> = (0..100).map(|n| format!("r{n}")).collect();
    for rid in &rids {
        pipe.send(request(rid, rid, "家里哪些灯开着").to_string()).await;
    }
    let mut answered = BTreeSet::new();
    while answered.len() < rids.len() {
        let (rid, data) = pipe.finish().await;
        assert_eq!(data["ret"], 0, "{data}");
        assert!(answered.insert(rid));
    }
    assert_eq!(answered, rids);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_the_queue_holds_waits_and_is_not_refused_however_many_clients_ask() {
    let tokens: String = (0..8).map(|n| format!("phone-{n} ask {SECRET}-{n}\n")).collect();
    let house = House::with(|settings| {
        settings.http.as_mut().unwrap().terms.tokens = Some(Tokens::read(&tokens).unwrap());
        (settings.workers, settings.queue_capacity) = (1, 4);
    })
    .await;
    let mut pipes = Vec::new();
    for n in 0..8 {
        let bearer = format!("Bearer {SECRET}-{n}");
        let mut pipe = Pipe::open(house.http, &[("Authorization", &bearer)]).await;
        for rid in 0..10 {
            pipe.send(request(&rid.to_string(), &rid.to_string(), "打开书房吸顶灯").to_string()).await;
        }
        pipes.push(pipe);
    }
    for mut pipe in pipes {
        for _ in 0..10 {
            let (_, data) = pipe.finish().await;
            assert_eq!(data["ret"], 0, "{data}");
        }
    }
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_on_one_page_is_done_in_the_order_in_which_it_was_said() {
    let mut house = House::open().await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    let said = |n: usize| if n.is_multiple_of(2) { "打开书房吸顶灯" } else { "关闭书房吸顶灯" };
    for n in 0..100 {
        pipe.send(request(&n.to_string(), "p", said(n)).to_string()).await;
    }
    for n in 0..100 {
        assert_eq!(house.client.on("instruct/cct-05").await["rid"], n.to_string());
    }
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_are_the_seeds_to_the_letter() {
    let mut house = House::open().await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    pipe.send(request("r", "p", "打开书房吸顶灯").to_string()).await;
    let stream = pipe.frame().await;
    let token = json!({"type": "instruct", "result": "正在打开书房吸顶灯。"});
    let data = json!({"ret": 0, "type": "token", "token": token});
    assert_eq!(stream, json!({"topic": "llm/smarthome", "rid": "r", "payload": {"finish": false, "data": data}}));
    let finish = pipe.frame().await;
    let instruct = json!({"id": "cct-05", "state": {"power": true}, "summary": "打开书房吸顶灯", "noop": false});
    let active = json!({"intent": token, "instructs": [instruct]});
    let data = json!({"ret": 0, "page_id": "p", "question": "打开书房吸顶灯", "active": active});
    assert_eq!(finish, json!({"topic": "llm/smarthome", "rid": "r", "payload": {"finish": true, "data": data}}));
    assert_eq!(house.client.on("instruct/cct-05").await["rid"], "r");
    // A home that comes along is answered for alone, and moves nothing of ours.
    let mut frame = request("h", "p", "打开客厅的灯");
    frame["payload"]["home"] = crate::common::home();
    pipe.send(frame.to_string()).await;
    let (_, data) = pipe.finish().await;
    assert_eq!(data["active"]["instructs"][0]["id"], "lamp-1");
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_frame_is_answered_and_the_pipe_lives_on() {
    let mut house = House::open().await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    let text = request("r", "p", "打开书房吸顶灯").to_string();
    pipe.socket.send(Message::Binary(text.clone().into_bytes())).await.unwrap();
    assert_eq!(pipe.finish().await.1["error"]["code"], "bad_frame");
    for bad in ["", "[]", "{}", r#"{"topic": "x", "rid": "known"}"#, "\u{0}"] {
        pipe.send(bad).await;
        let (rid, data) = pipe.finish().await;
        assert_eq!((data["ret"].as_u64(), rid == "known"), (Some(1), bad.contains("known")), "{data}");
    }
    assert_eq!(house.moved(), 0);
    // One message in several frames is one message.
    let (first, second) = text.as_bytes().split_at(20);
    let part = |code, bytes: &[u8], last| Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(code), last));
    pipe.socket.send(part(Data::Text, first, false)).await.unwrap();
    pipe.socket.send(part(Data::Continue, second, true)).await.unwrap();
    assert_eq!(pipe.finish().await.1["ret"], 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_ends_its_pipe_alone() {
    let mut house = House::open().await;
    let mut other = Pipe::open(house.http, &[]).await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    let _ = pipe.socket.send(Message::Text("x".repeat(10 << 20))).await;
    let end = within("the end", pipe.socket.next()).await;
    assert!(!matches!(end, Some(Ok(Message::Text(_)))), "{end:?}");
    // The heads alone, so that nothing is left unread that would take the goodbye along: one of ten million bytes, one that
    // is not masked, and one of a kind that there is none of.
    for (head, code) in [
        (&[0x81, 0xff, 0, 0, 0, 0, 0, 0x98, 0x96, 0x80, 1, 2, 3, 4][..], CloseCode::Size),
        (&[0x81, 0x02, b'h', b'i'], CloseCode::Protocol),
        (&[0x83, 0x80, 1, 2, 3, 4], CloseCode::Protocol),
    ] {
        let mut pipe = Pipe::open(house.http, &[]).await;
        pipe.socket.get_mut().write_all(head).await.unwrap();
        match within("the end", pipe.socket.next()).await {
            Some(Ok(Message::Close(Some(goodbye)))) => assert_eq!(goodbye.code, code, "{head:?}"),
            other => panic!("{head:?}: {other:?}"),
        }
    }
    assert_eq!(other.ask("r", "p", "打开书房吸顶灯").await["ret"], 0);
    house.client.on("instruct/cct-05").await;
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipe_that_closes_in_the_middle_leaves_nothing_behind() {
    let house = House::with(|settings| settings.http.as_mut().unwrap().connections = 8).await;
    // More than there is room for, if any of them stayed. Each comes from an address of its own: one more of an address than
    // it may have would be refused while those before it still end, one more of all waits until they have.
    for n in 0..40 {
        let mut pipe = Pipe::over(connect_from(n + 2, house.http).await, house.http, PIPE, &[]).await.unwrap();
        for rid in 0..5 {
            pipe.send(request(&format!("{n}-{rid}"), "p", "家里哪些灯开着").to_string()).await;
        }
        if n % 2 == 0 {
            pipe.socket.close(None).await.unwrap();
        }
    }
    let mut pipe = Pipe::open(house.http, &[]).await;
    assert_eq!(pipe.ask("last", "q", "家里哪些灯开着").await["ret"], 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_pipe_is_closed_and_so_is_every_pipe_of_a_daemon_that_stops() {
    let house = House::with(|settings| settings.http.as_mut().unwrap().idle = Duration::from_millis(50)).await;
    let mut silent = Pipe::open(house.http, &[]).await;
    let Some(Ok(Message::Close(Some(CloseFrame { reason, .. })))) = within("the end", silent.socket.next()).await
    else {
        panic!("no goodbye");
    };
    assert_eq!(reason, "idle");
    house.daemon.stop().await;
    let house = House::open().await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    pipe.ask("r", "p", "家里哪些灯开着").await;
    house.daemon.stop().await;
    let end = within("the end", pipe.socket.next()).await;
    assert!(matches!(end, Some(Ok(Message::Close(_))) | None | Some(Err(_))), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_comes_by_the_byte_keeps_no_pipe_open() {
    let house = House::with(|settings| settings.http.as_mut().unwrap().idle = Duration::from_millis(50)).await;
    let mut pipe = Pipe::open(house.http, &[]).await;
    let dripping = async {
        // A text of a million bytes, masked.
        let head = [0x81, 0xff, 0, 0, 0, 0, 0, 15, 0x42, 0x40, 1, 2, 3, 4];
        for byte in head.into_iter().chain(std::iter::repeat(0)) {
            let written = pipe.socket.get_mut().write_all(&[byte]).await;
            tokio::task::yield_now().await;
            if let Some(end) = pipe.socket.next().now_or_never() {
                return end;
            }
            // Whether the goodbye arrives before that is a matter of luck.
            if written.is_err() {
                return None;
            }
        }
        unreachable!("it never ends by itself");
    };
    let end = within("the end", dripping).await;
    assert!(matches!(end, Some(Ok(Message::Close(_))) | None | Some(Err(_))), "{end:?}");
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_costs_nobody_else_anything_and_is_dropped() {
    let mut house = House::open().await;
    let mut deaf = Pipe::open(house.http, &[]).await;
    // As much as the sockets take; whatever waits beyond waits with the client, until it is given up.
    let flood = tokio::spawn(async move {
        let (page, question) = ("p".repeat(100), "灯".repeat(1_500));
        for n in 0_u64.. {
            let text = request(&n.to_string(), &page, &question).to_string();
            if deaf.socket.send(Message::Text(text)).await.is_err() {
                return;
            }
        }
    });
    let mut pipe = Pipe::open(house.http, &[]).await;
    let mut asked = 0;
    let others = async {
        while !flood.is_finished() {
            assert_eq!(pipe.ask(&format!("{asked}"), "q", "家里哪些灯开着").await["ret"], 0);
            let rid = format!("m-{asked}");
            house.client.publish("request", request(&rid, "q", "家里哪些灯开着").to_string()).await;
            assert_eq!(house.client.finish(&rid).await["payload"]["data"]["ret"], 0);
            asked += 1;
        }
    };
    within("the deaf one to be dropped", others).await;
    assert!(asked > 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_are_held_up_to_the_bound_and_do_not_shut_the_door() {
    let house = House::with(|settings| settings.http.as_mut().unwrap().connections = 16).await;
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(connect(house.http).await);
    }
    // Those that say nothing are given up after a while, those beyond the bound at once.
    for mut stream in idle {
        let _ = within("the end", stream.read_to_end(&mut Vec::new())).await;
    }
    assert_eq!(get(house.http, "/healthz", &[]).await.text, "ok\n");
    house.daemon.stop().await;
}
