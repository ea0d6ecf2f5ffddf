import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BotApi, createBotApi } from "./bot-api.ts";

/** The next answer, in Telegram's form: a refusal has no result. */
let next: object = {};
const server = createServer((request, response) => {
  request.resume();
  const status = "error_code" in next ? Number(next.error_code) : 200;
  request.on("end", () => response.writeHead(status).end(JSON.stringify(next)));
});
let api: BotApi;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  api = createBotApi(`http://127.0.0.1:${address.port}`, "1:token");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

async function outcomeOf(answer: object) {
  next = answer;
  return await api.sendMessage("7", { text: "Robe", entities: [], buttons: [] }, true);
}
const refused = (code: number, further: object = {}) => ({
  ok: false,
  error_code: code,
  description: "refused",
  ...further,
});

test("a refusal is retried after Telegram's delay, ends the destination, or ends only its message", async () => {
  expect(await outcomeOf({ ok: true, result: { message_id: 1 } })).toEqual({ kind: "sent" });
  expect(await outcomeOf(refused(429, { parameters: { retry_after: 35 } }))).toEqual({
    kind: "wait",
    waitMs: 35_000,
  });
  expect(await outcomeOf(refused(401))).toEqual({ kind: "wait", waitMs: null });
  expect(await outcomeOf(refused(502))).toEqual({ kind: "wait", waitMs: null });
  expect(await outcomeOf(refused(403))).toEqual({ kind: "gone" });
  expect(await outcomeOf(refused(400))).toEqual({ kind: "refused" });
});
