import { connect } from "node:net";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "undici";
import type { Person } from "#verify/testing/person.ts";
import { openTab } from "#verify/testing/tab.ts";
import { startWorld, type World } from "#verify/testing/world.ts";
import { figure, sized } from "./figures.ts";

/** Whatever a client sends, the product stays up, leaks no internals and serves the others. */
let world: World;
let person: Person;
let otherPerson: Person;
const INSIDE = /\bat \/|node_modules|select |ZodError|Error:|stack/;

beforeAll(async () => {
  // Without rate limits, so that every event is processed as far as possible.
  world = await startWorld({ env: { RATE_LIMITS: "off" } });
  person = await world.signIn("thunder-fuzz");
  otherPerson = await world.signIn("thunder-voisin");
});
afterAll(() => world[Symbol.asyncDispose]());

async function expectOtherServed(): Promise<void> {
  const tab = openTab(world.url, otherPerson.cookie);
  tab.socket.emit("flux_handler");
  await expect.poll(() => tab.flux.length).toBeGreaterThan(0);
  tab.close();
}

const names = fc.oneof(
  fc.constantFrom("flux_handler", "purchaseData", "message", "__proto__", "toString", ""),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const payload = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: "binary", maxLength: 500 }),
  fc.constantFrom<unknown>({ __proto__: 1 }, [[[[[[]]]]]], { toString: 1 }, 1e308, "\u0000"),
);

test("any event with any payload", async () => {
  const count = sized(10_000, 500_000);
  const tab = openTab(world.url, person.cookie);
  await expect.poll(() => tab.life).toEqual(["connect"]);
  const received: string[] = [];
  tab.socket.onAny((name: string, ...rest: unknown[]) => {
    if (name !== "flux_handler") received.push(JSON.stringify([name, rest]));
  });
  const events = fc.sample(fc.tuple(names, fc.array(payload, { maxLength: 3 })), count);
  let sentCount = 0;
  for (const [name, rest] of events) {
    // The library's reserved names close a client's own socket.
    if (["connect", "connect_error", "disconnect", "disconnecting", "error"].includes(name)) continue;
    tab.socket.emit(name as "flux_handler", ...(rest as []));
    sentCount += 1;
    if (sentCount % 500 === 0) await answered(tab);
  }
  await answered(tab);
  expect(tab.life).toEqual(["connect"]);
  expect(received).toEqual([]);
  expect(tab.flux.every(({ items }) => items.length === 0)).toBe(true);
  tab.close();
  await expectOtherServed();
  figure(
    "fuzz, socket",
    `${sentCount} events: connection kept, 0 answers to undeclared ones, neighbours served`,
  );
});

/** The server processes events in order: once a request is answered, all earlier ones have been processed. */
async function answered(tab: ReturnType<typeof openTab>): Promise<void> {
  const before = tab.flux.length;
  tab.socket.emit("flux_handler");
  await expect.poll(() => tab.flux.length).toBeGreaterThan(before);
}

const frame = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom("0", "1", "2", "3", "40", "41", "44", "451-[]", "4", "5", "6", "42", "42[", "420[]", "9"),
  fc.constantFrom(
    "40/admin,",
    '42["disconnect"]',
    '42["connect"]',
    '42["error",{}]',
    `45999-["x"]`,
    "b4AAAA",
  ),
  fc.string({ maxLength: 60 }).map((text) => `42${text}`),
);

/** A connection is used until it is cut, then the next one is opened. */
async function sendFrames(
  frames: readonly string[],
): Promise<{ readonly received: string; readonly sent: number }> {
  const address = `${world.url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(address, { headers: { cookie: person.cookie } });
  let received = "";
  let sent = 0;
  const closed = new Promise<void>((resolve) => {
    socket.addEventListener("close", () => resolve());
    socket.addEventListener("error", () => resolve());
  });
  socket.addEventListener("message", ({ data }) => {
    received += String(data);
    if (String(data).startsWith("0")) {
      socket.send("40");
      for (const one of frames) {
        socket.send(one);
        sent += 1;
      }
      // An invalid packet, which ends every connection.
      socket.send("9");
    }
  });
  await closed;
  return { received, sent };
}

test("any frame, valid or not", async () => {
  const connections = sized(300, 5_000);
  let sentCount = 0;
  for (const frames of fc.sample(fc.array(frame, { minLength: 1, maxLength: 12 }), connections)) {
    const { received, sent } = await sendFrames(frames);
    sentCount += sent;
    expect(received).not.toMatch(INSIDE);
  }
  await expectOtherServed();
  expect(world.logged.filter(({ level }) => level === "error")).toEqual([]);
  figure(
    "fuzz, socket",
    `${sentCount} raw frames over ${connections} connections: 0 words of the inside, 0 errors`,
  );
});

test("any handshake", async () => {
  const count = sized(500, 20_000);
  const { port } = new URL(world.url);
  const query = fc.dictionary(
    fc.constantFrom("EIO", "transport", "sid", "t", "b64", "j"),
    fc.oneof(
      fc.constantFrom("3", "4", "5", "", "polling", "websocket", "webtransport", "__proto__"),
      fc.stringMatching(/^[\w-]{0,30}$/),
    ),
  );
  const statuses = new Map<string, number>();
  for (const [parameters, method] of fc.sample(
    fc.tuple(query, fc.constantFrom("GET", "POST", "OPTIONS", "PUT", "TRACE")),
    count,
  )) {
    const path = `/socket.io/?${new URLSearchParams(parameters).toString()}`;
    const text = await ask(
      Number(port),
      `${method} ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${person.cookie}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    const [, status = "none"] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect(text).not.toMatch(INSIDE);
  }
  expect([...statuses.keys()].filter((status) => !["200", "400", "403", "405"].includes(status))).toEqual([]);
  const summary = [...statuses].map(([status, times]) => `${times} x ${status}`).join(", ");
  figure("fuzz, socket", `${count} handshakes: ${summary}; 0 of 5xx`);
});

function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const wire = connect(port, "localhost", () => wire.write(request));
    let text = "";
    wire.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      // A successful handshake leaves the connection open, so it is closed here.
      if (text.includes("\r\n\r\n")) wire.destroy();
    });
    wire.on("error", () => resolve(text));
    wire.on("close", () => resolve(text));
  });
}
