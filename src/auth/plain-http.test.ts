import { expect, test } from "vitest";
import { createPlainHttpGuard } from "./plain-http.ts";

const from = (remoteAddress: string | undefined, scheme?: string) => ({
  headers: scheme === undefined ? {} : { "x-forwarded-proto": scheme },
  socket: { remoteAddress },
});

test.each([
  ["our own machine", from("127.0.0.1"), true],
  ["our own machine, on both families", from("::ffff:127.0.0.1"), true],
  ["the proxy's address", from("10.1.2.3", "https"), true],
  ["the proxy, about somebody who came plainly", from("10.1.2.3", "http"), false],
  ["a proxy of ours, about a chain of schemes", from("10.1.2.3", "https,http"), false],
  ["the proxy's other address", from("2001:db8::1", "https"), true],
  ["somebody else who claims to be the proxy", from("192.0.2.1", "https"), false],
  ["somebody else", from("192.0.2.1"), false],
  ["somebody without an address", from(undefined), false],
])("with an https address, %s is answered: %j %s", (_who, request, isAnswered) => {
  const isSafe = createPlainHttpGuard("https://synapse.example", ["10.0.0.0/8", "2001:db8::1"]);
  expect(isSafe(request)).toBe(isAnswered);
});

test("with a plain address, which can only be this machine's, every request is answered", () => {
  expect(createPlainHttpGuard("http://localhost:3000", [])(from("192.0.2.1", "http"))).toBe(true);
});
