import { expect, test } from "vitest";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { createSignatures } from "./signatures.ts";

const quietLog = createQuietLog();
const KEY = new Uint8Array(32).fill(7);

test("a signed message is verified unchanged by every node with the same key", () => {
  const [one, other] = [createSignatures(KEY, quietLog), createSignatures(KEY, quietLog)];
  for (const message of ["", "{}", "é 'deux' lignes\n\0", "x".repeat(100_000)])
    expect(other.verified("wishes", one.sign("wishes", message))).toBe(message);
  expect(other.refusedCount).toBe(0);
});

test.each<[string, (signed: string) => string]>([
  ["nothing", () => ""],
  ["an unsigned message", () => "[]"],
  ["a changed message", (signed) => signed.replace("100", "999")],
  ["a message that is cut", (signed) => signed.slice(0, -1)],
  ["a longer message", (signed) => `${signed} `],
  ["another signature", (signed) => `A${signed.slice(1)}`],
  ["a signature alone", (signed) => signed.slice(0, 43)],
  ["another sign between", (signed) => signed.replace(" ", "+")],
  ["what another key signed", () => createSignatures(new Uint8Array(32), quietLog).sign("wishes", "100")],
  ["what was said on another topic", () => createSignatures(KEY, quietLog).sign("matches", "100")],
  [
    "a topic that ends where the message begins",
    () => createSignatures(KEY, quietLog).sign("wishes\n1", "00"),
  ],
])("%s is refused and counted", (_what, forge) => {
  const signatures = createSignatures(KEY, quietLog);
  expect(signatures.verified("wishes", forge(signatures.sign("wishes", "100")))).toBeNull();
  expect(signatures.refusedCount).toBe(1);
});

test("a flood of forgeries logs every hundredth", () => {
  const log = createQuietLog();
  const signatures = createSignatures(KEY, log);
  for (let i = 0; i < 250; i += 1) signatures.verified("news", "[]");
  expect(log.lines.map(({ fields }) => fields)).toEqual(
    [1, 101, 201].map((count) => ({ task: "news", count })),
  );
});
