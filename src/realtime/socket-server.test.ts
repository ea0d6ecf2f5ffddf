import { createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { once } from "node:events";
import type { Socket as Client } from "socket.io-client";
import { io } from "socket.io-client";
import { afterEach, describe, expect, test } from "vitest";
import type { Visitor } from "#auth/sessions.ts";
import { sessionIdOf } from "#auth/sessions.ts";
import type { FluxPayload, PurchasePayload } from "#contract/socket.ts";
import type { ProductEvent } from "#domain/events.ts";
import { asFilterId, asPurchaseId, asUserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/match.ts";
import type { Purchase } from "#domain/purchase.ts";
import type { User } from "#domain/user.ts";
import { levelNow } from "#domain/user.ts";
import type { FeedState, MatchBatch } from "#feed/feed.ts";
import { systemClock } from "#server/clock.ts";
import { aListing, aSeenListing } from "#testing/a-listing.ts";
import { aMatch } from "#testing/a-match.ts";
import { aPurchase } from "#testing/a-purchase.ts";
import { aUser } from "#testing/a-user.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { createRealtime } from "./socket-server.ts";

const COOKIES = {
  lea: `__Host-sid=${"a".repeat(43)}`,
  leaElsewhere: `__Host-sid=${"b".repeat(43)}`,
  tom: `__Host-sid=${"c".repeat(43)}`,
  nobody: `__Host-sid=${"d".repeat(43)}`,
};
const LEA = asUserId("lea");
const TOM = asUserId("tom");

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** The realtime room on a real HTTP server, with people, a feed and events that the test holds in its hand. */
async function aRoom({ isSandbox = true } = {}) {
  const people = new Map<string, User>([
    [COOKIES.lea, aUser({ id: LEA })],
    [COOKIES.leaElsewhere, aUser({ id: LEA })],
    [COOKIES.tom, aUser({ id: TOM, plan: "none" })],
  ]);
  const batches = new Set<(batch: MatchBatch) => void>();
  const listeners = new Set<(event: ProductEvent) => void | Promise<void>>();
  const purchases = new Map<string, Purchase>();
  const log = createQuietLog();
  const held = {
    state: { kind: "live" } as FeedState,
    missed: [] as readonly UserMatch[],
    since: [] as (string | null)[],
    lookUps: 0,
  };
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}`;
  const realtime = createRealtime({
    server,
    publicUrl: url,
    trustedProxies: [],
    isSandbox,
    marketUrl: "http://localhost:1",
    confirmationHosts: ["bank.example"],
    sessions: {
      visitor: async (cookie) => {
        held.lookUps += 1;
        return visitorOf(people, cookie);
      },
      levelOf: async (id) => {
        const cookie = [...people.keys()].find((each) => sessionIdOf(each) === id);
        return visitorOf(people, cookie)?.level ?? null;
      },
    },
    feed: {
      state: () => held.state,
      onBatch: (listener) => {
        batches.add(listener);
        return () => void batches.delete(listener);
      },
      replay: async (_userId, since) => {
        held.since.push(since);
        return held.missed;
      },
      watch: () => () => undefined,
    },
    purchaseById: async (_userId, id) => purchases.get(id) ?? null,
    events: {
      subscribe: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    clock: systemClock,
    log,
    areLimitsOn: true,
  });
  await realtime.run();
  closers.push(async () => {
    await realtime.stop();
    server.closeAllConnections();
    server.close();
  });
  return {
    url,
    port,
    people,
    purchases,
    held,
    log,
    realtime,
    publish: async (event: ProductEvent) =>
      void (await Promise.all([...listeners].map(async (tell) => tell(event)))),
    match: (...matches: readonly UserMatch[]) => {
      for (const tell of batches) tell({ wishes: [], matches });
    },
  };
}

function visitorOf(people: ReadonlyMap<string, User>, cookie: string | undefined): Visitor | null {
  const user = people.get(cookie ?? "");
  const sessionId = sessionIdOf(cookie);
  if (user === undefined || sessionId === null) return null;
  return { user, sessionId, level: levelNow(user, Date.now()) };
}

interface Tab {
  readonly socket: Client;
  readonly flux: FluxPayload[];
  readonly purchases: PurchasePayload[];
  /** "connect", "connect_error: …", "disconnect: …" in their order. */
  readonly life: string[];
}

function open(
  url: string,
  cookie: string | null,
  options: { transport?: "websocket" | "polling"; depuis?: string; origin?: string } = {},
): Tab {
  const extraHeaders: Record<string, string> = {
    ...(cookie === null ? {} : { cookie }),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  };
  const socket = io(url, {
    transports: [options.transport ?? "websocket"],
    upgrade: false,
    reconnection: false,
    forceNew: true,
    extraHeaders,
    auth: options.depuis === undefined ? {} : { depuis: options.depuis },
  });
  const tab: Tab = { socket, flux: [], purchases: [], life: [] };
  socket.on("flux_handler", (payload: FluxPayload) => tab.flux.push(payload));
  socket.on("purchaseData", (payload: PurchasePayload) => tab.purchases.push(payload));
  socket.on("connect", () => tab.life.push("connect"));
  socket.on("connect_error", (error) => tab.life.push(`connect_error: ${error.message}`));
  socket.on("disconnect", (reason) => tab.life.push(`disconnect: ${reason}`));
  closers.push(() => void socket.close());
  return tab;
}

async function connected(...parameters: Parameters<typeof open>): Promise<Tab> {
  const tab = open(...parameters);
  await expect.poll(() => tab.life).toEqual(["connect"]);
  return tab;
}

function matchOf(id: number, cursor = id, priceCents = 1_000): UserMatch {
  const listing = aSeenListing({ listing: aListing({ id, totalPriceCents: priceCents }) });
  return aMatch({ userId: LEA, listing, cursor: String(cursor), filterIds: [asFilterId("f1")] });
}

const idsOf = (payload: FluxPayload | undefined) => payload?.items.map((item) => item.id);

describe("who may connect", () => {
  test.each(["websocket", "polling"] as const)("a subscriber may, over %s", async (transport) => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea, { transport });
    tab.socket.emit("flux_handler");
    await expect.poll(() => tab.flux).toEqual([{ items: [], curseur: "0" }]);
  });

  test.each([
    ["nobody's session", COOKIES.nobody, "connect_error: Votre session est terminée : reconnectez-vous."],
    ["no session", null, "connect_error: Votre session est terminée : reconnectez-vous."],
    ["level 0", COOKIES.tom, "connect_error: Votre abonnement ne donne pas accès au flux."],
  ])("%s is told why not, in French", async (_name, cookie, life) => {
    const room = await aRoom();
    const tab = open(room.url, cookie);
    await expect.poll(() => tab.life).toEqual([life]);
  });

  test("the sixth socket of a person is refused with a sentence, until one of the five is gone", async () => {
    const room = await aRoom();
    const tabs = await Promise.all(Array.from({ length: 5 }, () => connected(room.url, COOKIES.lea)));
    const sixth = open(room.url, COOKIES.leaElsewhere);
    await expect
      .poll(() => sixth.life)
      .toEqual(["connect_error: Trop d'onglets sont ouverts : cinq connexions au plus par personne."]);
    tabs[0]?.socket.close();
    await expect.poll(() => room.realtime.socketCount).toBe(4);
    await connected(room.url, COOKIES.lea);
  });

  test("six sockets at once leave five", async () => {
    const room = await aRoom();
    const tabs = Array.from({ length: 8 }, () => open(room.url, COOKIES.lea));
    await expect.poll(() => tabs.filter((tab) => tab.life.length > 0)).toHaveLength(8);
    expect(tabs.filter((tab) => tab.life[0] === "connect")).toHaveLength(5);
  });

  test.each(["https://evil.example", "null", "http://localhost:1"])(
    "a page of %s is refused before any handshake",
    async (origin) => {
      const room = await aRoom();
      for (const transport of ["websocket", "polling"] as const) {
        const tab = open(room.url, COOKIES.lea, { transport, origin });
        await expect.poll(() => tab.life).toHaveLength(1);
        expect(tab.life[0]).toMatch(/^connect_error: (websocket|xhr poll) error$/);
      }
    },
  );

  test("our own origin may", async () => {
    const room = await aRoom();
    await connected(room.url, COOKIES.lea, { origin: room.url });
  });
});

describe("a connection that asks for its place", () => {
  test("again and again has its session looked up twice, then is cut", async () => {
    const room = await aRoom();
    const wire = await openWire(room.port, COOKIES.nobody);
    wire.write(Buffer.concat(Array.from({ length: 90 }, () => maskedFrame("40"))));
    await expect.poll(() => wire.closed).toBe(true);
    expect(room.held.lookUps).toBe(2);
  });

  // The library itself ends a connection without a place only after ten seconds.
  const SOON = { timeout: 5_000 };

  test("and is refused is told why, then ends", async () => {
    const room = await aRoom();
    const wire = await openWire(room.port, COOKIES.nobody);
    let told = "";
    wire.setEncoding("latin1").on("data", (text: string) => (told += text));
    wire.write(maskedFrame("40"));
    // After the answer comes the frame that closes.
    await expect.poll(() => told.endsWith("\u0088\u0000"), SOON).toBe(true);
    expect(told).toContain('44{"message":"Votre session');
  });

  test("and is refused while it polls is told why, then ends", async () => {
    const { port } = await aRoom();
    const path = `/socket.io/?EIO=4&transport=polling&sid=${await handshake(port, COOKIES.nobody)}`;
    const headers = { cookie: COOKIES.nobody };
    await ask(port, path, headers, { method: "POST", body: "40" });
    expect((await ask(port, path, headers)).body).toMatch(/^44\{"message":"Votre session/);
    await expect.poll(async () => (await ask(port, path, headers)).status, SOON).toBe(400);
  });

  test("once more after it left is let in again", async () => {
    const room = await aRoom();
    const wire = await openWire(room.port, COOKIES.lea);
    for (const frame of ["40", "41", "40"]) {
      wire.write(maskedFrame(frame));
      await expect.poll(() => room.realtime.socketCount).toBe(frame === "40" ? 1 : 0);
    }
    expect(room.held.lookUps).toBe(2);
  });
});

describe("the stream", () => {
  test("pushes matches at once, each with its filters, its moment and a cursor", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    room.match(matchOf(1), matchOf(2), { ...matchOf(3), userId: TOM });
    await expect.poll(() => tab.flux).toHaveLength(1);
    expect(idsOf(tab.flux[0])).toEqual([2, 1]);
    expect(tab.flux[0]).toMatchObject({
      curseur: "2",
      items: [{ filtres: ["f1"], vu_a: expect.any(Number) as number }, {}],
    });
  });

  test("tells both of a person's tabs", async () => {
    const room = await aRoom();
    const tabs = [await connected(room.url, COOKIES.lea), await connected(room.url, COOKIES.leaElsewhere)];
    room.match(matchOf(1));
    for (const tab of tabs) await expect.poll(() => tab.flux).toHaveLength(1);
  });

  test("starts with what was missed since the cursor that the client sends", async () => {
    const room = await aRoom();
    room.held.missed = Array.from({ length: 70 }, (_, i) => matchOf(i + 201));
    const tab = await connected(room.url, COOKIES.lea, { depuis: "123" });
    await expect.poll(() => tab.flux).toHaveLength(2);
    expect(room.held.since).toEqual(["123"]);
    expect(idsOf(tab.flux[0])).toHaveLength(50);
    expect(idsOf(tab.flux[1])?.[0]).toBe(270);
    expect(tab.flux[1]?.curseur).toBe("270");
  });

  test.each(["", "x", "-1", "1".repeat(21), "0"])("takes the cursor %j for none", async (depuis) => {
    const room = await aRoom();
    await connected(room.url, COOKIES.lea, { depuis });
    await expect.poll(() => room.held.since).toEqual([null]);
  });

  test("says in French why it rests", async () => {
    const room = await aRoom();
    room.held.state = { kind: "paused", reason: "blocked", untilMs: 0 };
    const tab = await connected(room.url, COOKIES.lea);
    tab.socket.emit("flux_handler");
    await expect
      .poll(() => tab.flux[0]?.pause)
      .toBe("Le flux est en pause jusqu'à 01:00 : la place de marché refuse l'accès.");
  });

  test("answers no more than a burst of ten questions and two a second", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    for (let i = 0; i < 40; i += 1) tab.socket.emit("flux_handler");
    room.match(matchOf(9));
    await expect.poll(() => tab.flux.flatMap((payload) => payload.items)).toHaveLength(1);
    expect(tab.flux.length).toBeLessThanOrEqual(13);
    expect(tab.life).toEqual(["connect"]);
  });
});

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

  test("within a second of a change that nobody told, and hears nothing after it", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    room.people.delete(COOKIES.lea);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    room.match(matchOf(1));
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
    expect(tab.flux).toEqual([]);
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
    const wire = connect(room.port, "127.0.0.1");
    wire.write(upgradeLines(room.port, "/socket.io/?EIO=4&transport=websocket", { Cookie: COOKIES.lea }));
    await once(wire, "data");
    wire.write(maskedFrame("40"));
    await expect.poll(() => room.realtime.socketCount).toBe(1);
    wire.pause();
    const ended = once(wire, "close");
    for (let i = 0; i < 40; i += 1)
      room.match(...Array.from({ length: 1_000 }, (_, k) => matchOf(i * 1_000 + k + 1)));
    await expect.poll(() => room.realtime.socketCount).toBe(0);
    wire.resume();
    await ended;
  });

  test("once more than 256 KB of news wait for a client that never reads", async () => {
    const room = await aRoom();
    const wire = connect(room.port, "127.0.0.1");
    wire.write(upgradeLines(room.port, "/socket.io/?EIO=4&transport=websocket", { Cookie: COOKIES.lea }));
    await once(wire, "data");
    wire.write(maskedFrame("40"));
    await expect.poll(() => room.realtime.socketCount).toBe(1);
    wire.pause();
    const ended = once(wire, "close");
    const id = asPurchaseId("p1");
    room.purchases.set(id, aPurchase({ id, userId: LEA, state: "confirmed" }));
    // More than the system itself takes off our hands, and far less than would be a problem.
    for (let i = 0; i < 20_000; i += 1)
      await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
    await expect.poll(() => room.realtime.socketCount).toBe(0);
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

describe("purchaseData", () => {
  test("tells every change to every tab of the person, in order", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    const id = asPurchaseId("p1");
    for (const state of ["submitting", "confirmed", "failed", "quarantine"] as const) {
      room.purchases.set(
        id,
        aPurchase({ id, userId: LEA, state, failureReason: state === "failed" ? "sold" : null }),
      );
      await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
      await expect
        .poll(() => tab.purchases.at(-1)?.purchase?.status)
        .toBe({ submitting: 2, confirmed: 1, failed: 0, quarantine: 3 }[state]);
    }
    expect(tab.purchases.map((told) => told.success)).toEqual([true, true, false, false]);
    expect(tab.purchases[1]?.message).toContain("Achat confirmé");
    expect(tab.purchases[2]?.error).toContain("vendu");
  });

  test("names a bank's page on the hosts that the calls allow, and on no other", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    const id = asPurchaseId("p1");
    for (const [confirmUrl, shown] of [
      ["https://bank.example/3ds", "https://bank.example/3ds"],
      ["https://evil.example/3ds", null],
    ] as const) {
      room.purchases.set(id, aPurchase({ id, userId: LEA, state: "awaiting", confirmUrl }));
      const count = tab.purchases.length;
      await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
      await expect.poll(() => tab.purchases.length).toBe(count + 1);
      expect(tab.purchases.at(-1)?.purchase?.purchase_confirmation).toBe(shown);
    }
  });

  test("tells nobody else", async () => {
    const room = await aRoom();
    room.people.set(COOKIES.tom, aUser({ id: TOM }));
    const tom = await connected(room.url, COOKIES.tom);
    const id = asPurchaseId("p1");
    room.purchases.set(id, aPurchase({ id, userId: LEA }));
    await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
    tom.socket.emit("flux_handler");
    await expect.poll(() => tom.flux).toHaveLength(1);
    expect(tom.purchases).toEqual([]);
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
    expect(await upgrade(port, path, { Cookie: COOKIES.lea })).toMatch(/^HTTP\/1.1 101 /);
  });

  test("is refused once its address has begun too many, and a connection that stands goes on", async () => {
    const { url } = await aRoom({ isSandbox: false });
    const knock = async () =>
      await fetch(`${url}/socket.io/?EIO=4&transport=polling`, { headers: { cookie: COOKIES.lea } });
    // Far more than the burst and what is given back while they run.
    const answers = await Promise.all(Array.from({ length: 400 }, () => knock()));
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

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  { method = "GET", body = "" } = {},
): Promise<Answered> {
  const sent = request({
    port,
    host: "127.0.0.1",
    path,
    method,
    headers: { host: `localhost:${port}`, ...headers },
  });
  sent.end(body);
  return new Promise((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
    });
  });
}

async function handshake(port: number, cookie: string): Promise<string> {
  const answer = await ask(port, "/socket.io/?EIO=4&transport=polling", { cookie });
  const sid = /"sid":"([^"]+)"/.exec(answer.body)?.[1];
  if (sid === undefined) throw new Error(`no handshake: ${answer.body}`);
  return sid;
}

async function upgrade(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const wire = connect(port, "127.0.0.1");
  wire.write(upgradeLines(port, path, headers));
  const [first] = (await once(wire, "data")) as [Buffer];
  wire.destroy();
  return first.toString();
}

function upgradeLines(port: number, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A WebSocket by hand that has not asked for anything yet. */
async function openWire(port: number, cookie: string): Promise<Socket> {
  const wire = connect(port, "127.0.0.1");
  closers.push(() => void wire.destroy());
  wire.on("error", () => undefined);
  wire.write(upgradeLines(port, "/socket.io/?EIO=4&transport=websocket", { Cookie: cookie }));
  await once(wire, "data");
  return wire.resume();
}

/** A short text frame as a client must send it; the mask of zeros leaves the text as it is. */
function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
