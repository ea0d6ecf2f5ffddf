import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { sessionIdOf } from "#auth/sessions.ts";
import { asPurchaseId } from "#domain/ids.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { aUser } from "#verify/testing/a-user.ts";
import {
  aRoom,
  ask,
  connected,
  COOKIES,
  handshake,
  LEA,
  maskedFrame,
  matchOf,
  TOM,
  upgrade,
  upgradeLines,
} from "./realtime-room.suite.ts";

/** A connected client of Lea's that reads nothing from the wire; `ended` settles once it is disconnected. */
async function aClientThatNeverReads(room: Awaited<ReturnType<typeof aRoom>>) {
  const wire = connect(room.port, "127.0.0.1");
  wire.write(upgradeLines(room.port, "/socket.io/?EIO=4&transport=websocket", { Cookie: COOKIES.lea }));
  await once(wire, "data");
  wire.write(maskedFrame("40"));
  await expect.poll(() => room.realtime.socketCount).toBe(1);
  wire.pause();
  const ended = once(wire, "close");
  return { wire, ended };
}

describe("an open socket ends", () => {
  test("with its session, and only those of that session", async () => {
    const room = await aRoom();
    const ended = await connected(room.url, COOKIES.lea);
    const kept = await connected(room.url, COOKIES.leaElsewhere);
    const sessionId = sessionIdOf(COOKIES.lea);
    if (sessionId === null) throw new Error("no session");
    await room.publish({ kind: "session_ended", userId: LEA, sessionId });
    await expect.poll(() => ended.life).toEqual(["connect", "disconnect: io server disconnect"]);
    expect(kept.life).toEqual(["connect"]);
  });

  test("when the person's plan ends", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    room.people.set(COOKIES.lea, aUser({ id: LEA, plan: "none" }));
    await room.publish({ kind: "user_changed", userId: LEA });
    room.match(matchOf(1));
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
    expect(tab.flux).toEqual([]);
  });

  test("but not with another change of the account, of which only the person's own pages are notified", async () => {
    const room = await aRoom();
    room.people.set(COOKIES.tom, aUser({ id: TOM }));
    const notified: string[] = [];
    const tabs = { lea: await connected(room.url, COOKIES.lea), tom: await connected(room.url, COOKIES.tom) };
    for (const [name, { socket }] of Object.entries(tabs)) socket.on("compteData", () => notified.push(name));
    await room.publish({ kind: "user_changed", userId: LEA });
    await expect.poll(() => notified).toEqual(["lea"]);
    expect(tabs.lea.life).toEqual(["connect"]);
  });

  test("within a second of a change that was not published, and receives nothing after it", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    room.people.delete(COOKIES.lea);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    room.match(matchOf(1));
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
    expect(tab.flux).toEqual([]);
  });

  test("when a change of a purchase cannot be sent: the page reads them all once it is back", async () => {
    const room = await aRoom();
    const tabs = [await connected(room.url, COOKIES.lea), await connected(room.url, COOKIES.leaElsewhere)];
    room.held.isStoreAway = true;
    await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: asPurchaseId("p1") });
    for (const { life } of tabs)
      await expect.poll(() => life).toEqual(["connect", "disconnect: transport close"]);
  });

  test("after a frame above 16 KB", async () => {
    const room = await aRoom();
    for (const transport of ["websocket", "polling"] as const) {
      const tab = await connected(room.url, COOKIES.lea, { transport });
      tab.socket.emit("flux_handler", "x".repeat(17_000));
      await expect.poll(() => tab.life[1]).toMatch(/^disconnect: transport/);
      await expect.poll(() => room.realtime.socketCount).toBe(0);
    }
  });

  test("once too much waits for a client that never reads", async () => {
    const room = await aRoom();
    const { wire, ended } = await aClientThatNeverReads(room);
    for (let i = 0; i < 40; i += 1)
      room.match(...Array.from({ length: 1_000 }, (_, k) => matchOf(i * 1_000 + k + 1)));
    await expect.poll(() => room.realtime.socketCount).toBe(0);
    wire.resume();
    await ended;
  });

  test("once more than 256 KB of news wait for a client that never reads", async () => {
    const room = await aRoom();
    const { wire, ended } = await aClientThatNeverReads(room);
    const id = asPurchaseId("p1");
    room.purchases.set(id, aPurchase({ id, userId: LEA, state: "confirmed" }));
    // More than the system's buffers hold, and far less than would be a problem.
    for (let i = 0; i < 20_000; i += 1)
      await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
    // Sooner than an unanswered ping would end it.
    await expect.poll(() => room.realtime.socketCount, { timeout: 20_000 }).toBe(0);
    wire.resume();
    await ended;
  });

  test("after a flood", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    for (let i = 0; i < 300; i += 1) tab.socket.emit("whatever", i);
    await expect.poll(() => tab.life[1]).toMatch(/^disconnect: transport/);
  });

  test.each([
    ["pings of the WebSocket", false, Buffer.from([0x89, 0x80, 0, 0, 0, 0])],
    ["probes of an upgrade", true, maskedFrame("2probe")],
  ])("after a flood of %s, which are answered below the packets", async (_what, isUpgrade, frame) => {
    const { port } = await aRoom();
    const sid = isUpgrade ? `&sid=${await handshake(port, COOKIES.lea)}` : "";
    const wire = connect(port, "127.0.0.1");
    wire.on("error", () => undefined);
    wire.write(upgradeLines(port, `/socket.io/?EIO=4&transport=websocket${sid}`, { Cookie: COOKIES.lea }));
    await once(wire, "data");
    const frames = Buffer.concat(Array.from({ length: 1_000 }, () => frame));
    for (let i = 0; i < 100; i += 1) wire.write(frames);
    wire.resume();
    await expect.poll(() => wire.closed).toBe(true);
  });
});

describe("a request that carries a sid", () => {
  test("is refused without the cookie of the session that opened it", async () => {
    const { port } = await aRoom();
    const sid = await handshake(port, COOKIES.lea);
    const path = `/socket.io/?EIO=4&transport=polling&sid=${sid}`;
    for (const headers of [
      { cookie: COOKIES.leaElsewhere },
      {},
      { cookie: COOKIES.lea, origin: "https://evil.example" },
    ])
      expect(await ask(port, path, headers)).toMatchObject({ status: 403 });
    expect(await ask(port, path, { cookie: COOKIES.lea }, { method: "POST", body: "40" })).toMatchObject({
      status: 200,
      body: "ok",
    });
  });

  test("is refused as an upgrade as well", async () => {
    const { port } = await aRoom();
    const sid = await handshake(port, COOKIES.lea);
    const path = `/socket.io/?EIO=4&transport=websocket&sid=${sid}`;
    expect(await upgrade(port, path, { Cookie: COOKIES.tom })).toMatch(/^HTTP\/1.1 403 /);
    expect(await upgrade(port, path, { Cookie: COOKIES.lea, Origin: "https://evil.example" })).toMatch(
      /^HTTP\/1.1 403 /,
    );
    expect(await upgrade(port, path, { Cookie: COOKIES.lea }, "POST")).toMatch(/^HTTP\/1.1 405 /);
    expect(await upgrade(port, path, { Cookie: COOKIES.lea })).toMatch(/^HTTP\/1.1 101 /);
  });

  test("is refused once its address has opened too many, while open connections continue", async () => {
    const { url } = await aRoom({ isSandbox: false });
    const openPolling = async () =>
      await fetch(`${url}/socket.io/?EIO=4&transport=polling`, { headers: { cookie: COOKIES.lea } });
    // Far more than the burst plus the tokens that are refilled meanwhile.
    const answers = await Promise.all(Array.from({ length: 400 }, () => openPolling()));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const [, sid = ""] = /"sid":"([^"]+)"/.exec(texts.join("")) ?? [];
    const poll = await fetch(`${url}/socket.io/?EIO=4&transport=polling&sid=${sid}`, {
      method: "POST",
      headers: { cookie: COOKIES.lea },
      body: "40",
    });
    expect(poll.status).toBe(200);
  });

  test("under another Host is 421, with another method 405, never a CORS header", async () => {
    const { port } = await aRoom();
    const path = "/socket.io/?EIO=4&transport=polling";
    expect(await ask(port, path, { host: "evil.example" })).toMatchObject({ status: 421 });
    expect(await ask(port, path, {}, { method: "PUT" })).toMatchObject({ status: 405 });
    const answer = await ask(port, path, { cookie: COOKIES.lea });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

test.each([
  ["is refused", "/socket.io/?EIO=4&transport=websocket", { Origin: "https://evil.example" }],
  ["is for another path", "/another", {}],
  ["has a body", "/socket.io/?EIO=4&transport=polling", { "Content-Length": "5" }],
])("an upgrade that %s ends, even if its client keeps its half open", async (_why, path, headers) => {
  const { port } = await aRoom();
  const wire = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  wire.on("error", () => undefined);
  wire.write(`GET /before HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  await once(wire, "data");
  wire.resume();
  wire.write(upgradeLines(port, path, headers));
  await expect
    .poll(() => {
      // Answered with a reset once nothing holds the connection any more.
      wire.write("x");
      return wire.destroyed;
    })
    .toBe(true);
});
