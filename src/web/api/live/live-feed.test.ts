import { createServer } from "node:http";
import { Server, type Socket } from "socket.io";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { anItem } from "#verify/testing/on-the-wire.ts";
import { createLiveFeed, reconnectionDelayMs } from "./live-feed.ts";

/** The socket's server side, with the sockets that connected, the oldest first. */
let server: Server;
let connected: Socket[];
let refusals: number;
let connections: number;

const listeners = {
  onPurchase: () => undefined,
  onPrice: () => undefined,
  onAutobuyStopped: () => undefined,
  onAccountChanged: () => undefined,
  onToConfirm: () => undefined,
  onConnected: () => {
    connections += 1;
  },
  onRefused: () => {
    refusals += 1;
  },
};

beforeEach(async () => {
  connected = [];
  refusals = 0;
  connections = 0;
  const http = createServer();
  server = new Server(http, { transports: ["websocket"] });
  server.on("connection", (socket) => connected.push(socket));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  // What the feed needs of a browser.
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("location", { protocol: "http:", host: `127.0.0.1:${port}`, port });
  // The shortest delay before reconnecting.
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await server.close();
});

test("a connection that the server closed is opened again after 1 to 5 seconds", () => {
  vi.restoreAllMocks();
  expect([0, 0.25, 1].map(reconnectionDelayMs)).toEqual([1_000, 2_000, 5_000]);
});

test("a closed feed stays disconnected", async () => {
  const close = createLiveFeed().run(listeners);
  await expect.poll(() => connections).toBe(1);
  close();
  await expect.poll(() => connected[0]?.connected).toBe(false);
  expect(refusals).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(connected).toHaveLength(1);
});

test("a reconnection names the held listings, too", async () => {
  const feed = createLiveFeed();
  const close = feed.run(listeners);
  await expect.poll(() => connected.length).toBe(1);
  connected[0]?.emit("flux_handler", { items: [anItem(1)] });
  await expect.poll(() => feed.items.get().length).toBe(1);
  feed.setHolding(true);
  connected[0]?.emit("flux_handler", { items: [anItem(2)] });
  await expect.poll(() => feed.held.get().length).toBe(1);
  // Neither shown nor counted as held yet.
  connected[0]?.emit("flux_handler", { items: [anItem(3)] });
  connected[0]?.disconnect();
  await expect.poll(() => connected.length).toBe(2);
  expect(connected[1]?.handshake.auth["affiches"]).toEqual([3, 2, 1]);
  close();
});

test("a feed has its recent listings once they are among the items, and no longer after a sign-out", () => {
  const feed = createLiveFeed();
  const countsOnceRecent: number[] = [];
  feed.hasRecent.subscribe(() => {
    if (feed.hasRecent.get()) countsOnceRecent.push(feed.items.get().length);
  });
  expect(feed.hasRecent.get()).toBe(false);
  feed.addRecent([anItem(2), anItem(1)]);
  expect(countsOnceRecent).toEqual([2]);
  feed.forget();
  expect([feed.hasRecent.get(), feed.items.get()]).toEqual([false, []]);
  expect(createLiveFeed([]).hasRecent.get()).toBe(true);
});

test("while a hand is on the list, what is read again is added below it, and in its place once the hand leaves", async () => {
  const feed = createLiveFeed([anItem(90), anItem(70), anItem(50)]);
  const shownIds = () => feed.items.get().map(({ id }) => id);
  feed.setHolding(true);
  feed.addRecent([anItem(80), anItem(60), anItem(40)]);
  expect(shownIds()).toEqual([90, 70, 50, 40]);
  // Read once more, after the price of one that is kept back rose.
  const price = { amount: "12.00", currency_code: "EUR" };
  feed.setPrice(60, price);
  feed.addRecent([anItem(80), anItem(60), anItem(55)]);
  expect(shownIds()).toEqual([90, 70, 50, 40]);
  expect(feed.held.get()).toEqual([]);
  feed.setHolding(false);
  await expect.poll(shownIds).toEqual([90, 80, 70, 60, 55, 50, 40]);
  expect(feed.items.get().find(({ id }) => id === 60)).toMatchObject({ total_item_price: price });
});
