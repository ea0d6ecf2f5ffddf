import { expect, test } from "vitest";
import { parseCommand, UsageError } from "./parse-command.ts";

test.each([
  [["users"], { command: "users", input: {}, isJson: false }],
  [["--json", "show", "lea"], { command: "show", input: { name: "lea" }, isJson: true }],
  [
    ["grant", "lea", "thunder", "--days", "30"],
    { command: "grant", input: { name: "lea", plan: "thunder", days: 30 }, isJson: false },
  ],
  [["stop"], { command: "stop", input: {}, isJson: false }],
  [["stop", "lea"], { command: "stop", input: { name: "lea" }, isJson: false }],
  [
    ["resolve", "p1", "confirmed"],
    { command: "resolve", input: { purchase: "p1", outcome: "confirmed" }, isJson: false },
  ],
  [["backup", "copy.tar"], { command: "backup", input: { file: "/home/op/copy.tar" }, isJson: false }],
  [["backup", "/tmp/copy.tar"], { command: "backup", input: { file: "/tmp/copy.tar" }, isJson: false }],
])("%j is understood", (words, expected) => {
  expect(parseCommand(words, "/home/op")).toEqual(expected);
});

test.each([
  [[], "a command is missing"],
  [["fly"], '"fly" is no command'],
  [["toString"], '"toString" is no command'],
  [["show"], "show needs name"],
  [["show", "a", "b"], 'show does not take "b"'],
  [["grant", "lea", "gold"], "grant: plan"],
  [["grant", "lea", "seeker", "--days", "0"], "grant: days"],
  [["grant", "lea", "seeker", "--days", "soon"], "grant: days"],
  [["users", "--days", "3"], "--days belongs to grant"],
  [["resolve", "p1", "maybe"], "resolve: outcome"],
  [["users", "--loud"], "--loud"],
])("%j is refused with the reason", (words, reason) => {
  const typing = () => parseCommand(words, "/home/op");
  expect(typing).toThrow(UsageError);
  expect(typing).toThrow(reason);
});
