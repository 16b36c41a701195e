use super::*;
use codemode_engine::{Failure, SessionValues};

fn conversation() -> Conversation {
    let limits = Limits {
        max_tool_calls: 2,
        max_tool_arg_chars: 10,
        max_output_chars: 10,
        ..Limits::default()
    };
    Conversation::new(&limits, 3, None)
}

fn call(id: u32, tool: u32, input: &str) -> Event {
    Event::Calls(vec![ToolCall {
        id,
        tool,
        input: input.into(),
    }])
}

fn end(outcome: Result<&str, FailureCode>, tool_calls: u32) -> Event {
    Event::End(Box::new(End {
        outcome: outcome
            .map(str::to_owned)
            .map_err(|code| Failure::new(code, "E", "m")),
        tool_calls,
        cpu_ms: 0.0,
        wall_ms: 0.0,
        peak_memory_bytes: 0,
        unhandled: Vec::new(),
        notes: Vec::new(),
        journal: Vec::new(),
    }))
}

#[test]
fn what_the_engine_says_is_admitted() {
    let mut talk = conversation();
    for event in [
        Event::Logs(vec!["abc".into()]),
        call(1, 0, "{\"a\":[1]}"),
        call(2, 2, "\"12345678\""),
        end(Ok("123456"), 2),
    ] {
        assert_eq!(talk.admit(&event, false), Ok(()), "{event:?}");
    }
}

#[test]
fn calls_must_be_numbered_known_few_small_and_json() {
    for (event, why) in [
        (Event::Calls(Vec::new()), "an empty list of calls"),
        (call(0, 0, "1"), "a call out of order"),
        (call(2, 0, "1"), "a call out of order"),
        (call(1, 3, "1"), "a call of no tool"),
        (
            call(1, 0, "\"123456789\""),
            "arguments over maxToolArgChars",
        ),
        // Would make a call of our own in the list that JavaScript parses.
        (call(1, 0, "1],[2,0,1"), "arguments that are not JSON"),
        (call(1, 0, ""), "arguments that are not JSON"),
        (call(1, 0, "{}//"), "arguments that are not JSON"),
    ] {
        assert_eq!(conversation().admit(&event, false), Err(why), "{event:?}");
    }
    let mut talk = conversation();
    talk.admit(&call(1, 0, "1"), false).unwrap();
    talk.admit(&call(2, 0, "1"), false).unwrap();
    assert_eq!(
        talk.admit(&call(3, 0, "1"), false),
        Err("a call over maxToolCalls")
    );
}

#[test]
fn what_is_stored_is_json_within_the_limit_and_of_a_session() {
    let stored =
        |key: &str, json: Option<&str>| Event::Stored(vec![(key.into(), json.map(str::to_owned))]);
    let in_session = || {
        let values = [("a".into(), "1234".into())].into();
        let store = Store::new(&SessionValues::new(values, 10));
        Conversation::new(&Limits::default(), 3, Some(store))
    };
    let mut talk = conversation();
    let outside = "news of a session without a session";
    assert_eq!(talk.admit(&stored("k", None), false), Err(outside));
    let outside = "news of a session without a session";
    assert_eq!(talk.admit(&Event::Yielded, false), Err(outside));
    let mut talk = in_session();
    for event in [
        stored("b", Some("1234")),
        stored("b", Some("4321")),
        Event::Yielded,
        stored("a", None),
        stored("c", Some("\"\u{1f600}\"")),
    ] {
        assert_eq!(talk.admit(&event, false), Ok(()), "{event:?}");
    }
    let yields = (0..FREE_TIMES + 10_000).find(|_| talk.admit(&Event::Yielded, false).is_err());
    assert!(yields.is_some(), "yields without end");
    let over = "something stored over maxStoreChars";
    assert_eq!(talk.admit(&stored("d", Some("1")), false), Err(over));
    let broken = "something stored that is not JSON";
    assert_eq!(
        in_session().admit(&stored("b", Some("1,2")), false),
        Err(broken)
    );
}

#[test]
fn questions_are_short_few_and_about_tools() {
    let search = |length| Query::Search {
        text: "é".repeat(length),
        limit: 1,
    };
    let mut talk = conversation();
    assert_eq!(talk.admit_query(&search(MAX_QUERY_CHARS)), Ok(()));
    assert_eq!(
        talk.admit_query(&search(MAX_QUERY_CHARS + 1)),
        Err("a long question")
    );
    assert_eq!(talk.admit_query(&Query::Describe { tool: 2 }), Ok(()));
    assert_eq!(
        talk.admit_query(&Query::Describe { tool: 3 }),
        Err("a question about no tool")
    );
    let many = |limit| Query::Search {
        text: "a".into(),
        limit,
    };
    assert_eq!(talk.admit_query(&many(MAX_SEARCH_RESULTS)), Ok(()));
    assert_eq!(
        talk.admit_query(&many(MAX_SEARCH_RESULTS + 1)),
        Err("a question for too many tools")
    );
    assert_eq!(talk.admit_query(&Query::All), Ok(()));
    let again = "the same question again";
    assert_eq!(talk.admit_query(&Query::All), Err(again));
    let mut talk = conversation();
    for _ in 0..MAX_QUERIES {
        assert_eq!(talk.admit_query(&search(1)), Ok(()));
    }
    assert_eq!(talk.admit_query(&search(1)), Err("too many questions"));
}

#[test]
fn output_is_counted_again_on_this_side() {
    let mut talk = conversation();
    assert_eq!(talk.admit(&Event::Logs(vec!["a".repeat(9)]), false), Ok(()));
    assert_eq!(
        talk.admit(&Event::Text(vec![String::new()]), false),
        Err("lines over maxOutputChars")
    );
    assert_eq!(
        talk.admit(&Event::Logs(Vec::new()), false),
        Err("an empty list of lines")
    );
    assert_eq!(
        talk.admit(&end(Ok("1"), 0), false),
        Err("a result over maxOutputChars")
    );
    assert_eq!(
        conversation().admit(&end(Ok("\"12345678\""), 0), false),
        Ok(())
    );
    assert_eq!(
        conversation().admit(&end(Ok("1,2"), 0), false),
        Err("a result that is not JSON")
    );
}

#[test]
fn an_end_must_fit_what_was_said_before() {
    assert_eq!(
        conversation().admit(&end(Ok("1"), 1), false),
        Err("a wrong number of calls at the end")
    );
    let stop = end(Err(FailureCode::Timeout), 0);
    assert_eq!(
        conversation().admit(&stop, false),
        Err("a stop that nobody asked for")
    );
    assert_eq!(conversation().admit(&stop, true), Ok(()));
    let Event::End(mut made_up) = end(Ok("1"), 0) else {
        unreachable!()
    };
    made_up.unhandled = vec![1];
    assert_eq!(
        conversation().admit(&Event::End(made_up), false),
        Err("unhandled calls that were not made")
    );
}
