//! What is written is what is read.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

use codemode_catalog::ToolName;
use codemode_engine::{
    End, Event, Failure, FailureCode, Features, Limits, Reply, StopReason, ToolCall,
};
use codemode_program::Dialect;
use codemode_wire::{
    CHUNK, ControlReply, ControlRequest, FrameReader, FromGuest, Query, Session, Start, ToGuest,
    encode_answer, encode_events, encode_query, encode_ready, encode_replies, encode_start,
    encode_stop, encode_tools, guest_frame_limit,
};

fn frames(bytes: &[u8], limit: usize) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new(limit);
    reader.push(bytes);
    let mut out = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        out.push(frame.to_vec());
    }
    assert_eq!(reader.pending(), 0);
    out
}

fn events(bytes: &[u8], limit: usize) -> Vec<Event> {
    let read = |frame: Vec<u8>| match FromGuest::decode(&frame).unwrap() {
        FromGuest::Event(event) => event,
        other => panic!("no event: {other:?}"),
    };
    frames(bytes, limit).into_iter().map(read).collect()
}

#[test]
fn a_start_arrives_as_it_was_sent() {
    let start = Start {
        limits: Limits::default(),
        seed: 77,
        names: vec![
            ToolName {
                name: "a-b".into(),
                alias: Some("a_b".into()),
            },
            ToolName {
                name: "échо\0".into(),
                alias: None,
            },
        ],
        dialect: Dialect::External,
        session: Some(Session {
            values: vec![("k".into(), "[1]".into())],
            max_chars: 10,
        }),
        code: "return '\u{1f600}'".into(),
    };
    let mut out = Vec::new();
    let tools = encode_tools(start.dialect, &start.names);
    let session = start.session.clone().map(Into::into);
    encode_start(
        &mut out,
        &start.limits,
        start.seed,
        &tools,
        session.as_ref(),
        &start.code,
    );
    let read = ToGuest::decode(&frames(&out, 1000)[0]).unwrap();
    assert_eq!(read, ToGuest::Start(Box::new(start)));
}

#[test]
fn replies_and_stops_arrive_in_their_order() {
    let replies = vec![
        Reply {
            id: 2,
            outcome: Ok(String::new()),
        },
        Reply {
            id: 1,
            outcome: Err("\"no\"".into()),
        },
    ];
    let mut out = Vec::new();
    encode_replies(&mut out, &replies);
    encode_stop(&mut out, StopReason::Guardrail, Some("why"));
    encode_stop(&mut out, StopReason::Timeout, None);
    encode_answer(&mut out, "[]");
    let read: Vec<_> = frames(&out, 1000)
        .iter()
        .map(|frame| ToGuest::decode(frame).unwrap())
        .collect();
    assert_eq!(
        read,
        [
            ToGuest::Replies(replies),
            ToGuest::Stop(StopReason::Guardrail, Some("why".into())),
            ToGuest::Stop(StopReason::Timeout, None),
            ToGuest::Answer("[]".into()),
        ]
    );
}

#[test]
fn questions_arrive_as_they_were_asked() {
    let search = Query::Search {
        text: "mail".into(),
        limit: 7,
    };
    for query in [Query::All, search, Query::Describe { tool: 9 }] {
        let mut out = Vec::new();
        encode_query(&mut out, &query);
        match FromGuest::decode(&frames(&out, 1000)[0]).unwrap() {
            FromGuest::Query(read) => assert_eq!(read, query),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn events_arrive_in_their_order() {
    let mut failure = Failure::new(FailureCode::MemoryLimit, "MemoryLimitError", "much");
    (failure.line, failure.column) = (Some(3), Some(9));
    let end = End {
        outcome: Err(failure.clone()),
        tool_calls: 4,
        cpu_ms: 1.5,
        wall_ms: 9.0,
        peak_memory_bytes: 1 << 40,
        unhandled: vec![1, 3],
        notes: vec!["lost".into()],
        journal: Vec::new(),
    };
    let call = ToolCall {
        id: 1,
        tool: 2,
        input: "{}".into(),
    };
    let mut out = Vec::new();
    encode_ready(&mut out);
    assert!(matches!(
        FromGuest::decode(&frames(&out, 9)[0]),
        Ok(FromGuest::Ready)
    ));
    out.clear();
    encode_events(
        &mut out,
        &[
            Event::Logs(vec!["a".into(), String::new()]),
            Event::Calls(vec![call.clone()]),
            Event::End(Box::new(end)),
        ],
    );
    let read = events(&out, 1000);
    assert!(matches!(&read[0], Event::Logs(lines) if lines == &["a", ""]));
    assert!(matches!(&read[1], Event::Calls(calls) if calls == &[call]));
    let Event::End(end) = &read[2] else {
        panic!("no end")
    };
    assert_eq!(end.outcome, Err(failure));
    assert_eq!(
        (end.tool_calls, end.cpu_ms, end.peak_memory_bytes),
        (4, 1.5, 1 << 40)
    );
    assert_eq!(
        (&end.unhandled[..], &end.notes[..]),
        (&[1, 3][..], &["lost".to_owned()][..])
    );
}

#[test]
fn a_fan_out_of_big_calls_is_split_below_the_limit_of_a_frame() {
    let limits = Limits::default();
    let input = "\u{20ac}".repeat(limits.max_tool_arg_chars as usize);
    let calls: Vec<_> = (1..=5)
        .map(|id| ToolCall {
            id,
            tool: 0,
            input: input.clone(),
        })
        .collect();
    let mut out = Vec::new();
    encode_events(&mut out, &[Event::Calls(calls.clone())]);
    let read = events(&out, guest_frame_limit(&limits, 0));
    assert_eq!(read.len(), 5);
    let small: Vec<_> = (1..=20_000)
        .map(|id| ToolCall {
            id,
            tool: 0,
            input: "{}".into(),
        })
        .collect();
    out.clear();
    encode_events(&mut out, &[Event::Calls(small.clone())]);
    let read = events(&out, CHUNK + 1000);
    let all: Vec<_> = read
        .into_iter()
        .flat_map(|event| match event {
            Event::Calls(calls) => calls,
            _ => panic!(),
        })
        .collect();
    assert_eq!(all, small);
}

#[test]
fn control_messages_arrive_as_they_were_sent() {
    let features = Features {
        typed_arrays: true,
        weak_refs: false,
    };
    for request in [
        ControlRequest::Fork {
            token: 1 << 40,
            features,
            room_bytes: 5,
        },
        ControlRequest::Reap { pid: 4_194_303 },
    ] {
        assert_eq!(ControlRequest::decode(&request.encode()), Ok(request));
    }
    for reply in [
        ControlReply::Ready {
            version: "1".into(),
            protections: vec!["seccomp".into()],
        },
        ControlReply::Refused {
            reason: "landlock: no".into(),
        },
        ControlReply::Forked { token: 2, pid: 3 },
        ControlReply::NotForked {
            token: 2,
            errno: 11,
        },
        ControlReply::Exited { pid: 3, status: -1 },
    ] {
        assert_eq!(ControlReply::decode(&reply.encode()), Ok(reply));
    }
}
