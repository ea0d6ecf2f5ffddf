import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createRawServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createExchange, type ExchangeRequest } from "./exchange.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const get: ExchangeRequest = {
  method: "GET",
  path: "/",
  headers: {},
  body: undefined,
  deadlineMs: 2_000,
  freshConnection: { isTooLate: () => false },
};

test("sends the body as JSON and answers status, header and text", async () => {
  const origin = await listen((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => {
      response.writeHead(429, { "retry-after": "3" }).end(`${request.method} ${request.url} ${text}`);
    });
  });
  await using exchange = createExchange(origin);
  const answer = await exchange.send({ ...get, method: "POST", path: "/pay?x=1", body: { checksum: "é" } });
  expect(answer).toEqual({ status: 429, retryAfter: "3", text: 'POST /pay?x=1 {"checksum":"é"}' });
});

test("a refused connection proves that nothing was sent", async () => {
  const origin = await listen(() => undefined);
  await closers.pop()?.();
  await using exchange = createExchange(origin);
  for (const freshConnection of [get.freshConnection, null])
    await expect(exchange.send({ ...get, freshConnection })).rejects.toMatchObject({ code: "unreachable" });
});

test.each([
  ["closes at once", (socket: Socket) => socket.destroy()],
  [
    "resets within the headers",
    (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nX-", () => socket.destroy()),
  ],
  [
    "resets within the body",
    (socket: Socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", () => socket.destroy()),
  ],
  ["answers no HTTP", (socket: Socket) => socket.end("bonjour")],
])("a host that accepts the connection and %s is an unknown outcome", async (_, misbehave) => {
  const origin = await listenRaw((socket) => {
    socket.once("data", () => misbehave(socket));
  });
  await using exchange = createExchange(origin);
  await expect(exchange.send({ ...get, method: "POST", body: {} })).rejects.toMatchObject({
    code: "broken_connection",
  });
});

test("silent and slow answers end at the deadline", async () => {
  const origin = await listen((request, response) => {
    if (request.url === "/drip") {
      response.writeHead(200).write("a");
      const timer = setInterval(() => response.write("a"), 50);
      response.on("close", () => clearInterval(timer));
    }
  });
  await using exchange = createExchange(origin);
  for (const path of ["/silence", "/drip"])
    await expect(exchange.send({ ...get, path, deadlineMs: 400 })).rejects.toMatchObject({ code: "timeout" });
});

test("an answer above one mebibyte is refused as unreadable", async () => {
  const origin = await listen((_, response) => response.end("a".repeat(1_048_577)));
  await using exchange = createExchange(origin);
  await expect(exchange.send(get)).rejects.toMatchObject({ code: "unreadable" });
});

test("a redirect is answered, not followed", async () => {
  const paths: string[] = [];
  const origin = await listen((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  await using exchange = createExchange(origin);
  expect((await exchange.send(get)).status).toBe(302);
  expect(paths).toEqual(["/"]);
});

test("a connection that opens too late is closed unused: not one byte was written", async () => {
  let byteCount = 0;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const origin = await listenRaw((socket) => {
    socket.on("data", (bytes) => (byteCount += bytes.length));
    socket.on("close", resolve);
  });
  await using exchange = createExchange(origin);
  const request: ExchangeRequest = { ...get, method: "POST", freshConnection: { isTooLate: () => true } };
  await expect(exchange.send(request)).rejects.toMatchObject({ code: "too_late", isDefinite: true });
  await closed;
  expect(byteCount).toBe(0);
});

test("fresh connections are never shared", async () => {
  const ports = new Set<number | undefined>();
  const origin = await listen((request, response) => {
    ports.add(request.socket.remotePort);
    response.end("{}");
  });
  await using exchange = createExchange(origin);
  for (let call = 0; call < 3; call += 1) await exchange.send(get);
  expect(ports.size).toBe(3);
});

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listenRaw(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createRawServer(onConnection);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
