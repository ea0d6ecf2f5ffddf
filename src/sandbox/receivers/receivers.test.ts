import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openShop, type Received, type Shop } from "../shop.suite.ts";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const post = async (path: string, body: unknown): Promise<Received> =>
  await shop.send({ method: "POST", path, body });

describe("invalid input is refused", () => {
  test.each([
    ["/push/devices", {}],
    ["/push/devices", "{"],
    ["/telegram/bot1:A/getUpdates", { limit: 1_000 }],
    ["/telegram/bot1:A/getUpdates", { offset: "x" }],
  ])("%s %j", async (path, body) => {
    expect((await post(path, body)).status).toBe(400);
  });
});

describe("a chat", () => {
  const sent = z.object({ result: z.object({ message_id: z.int() }) });
  const write = async (chat: number): Promise<Received> =>
    await post("/telegram/bot1:A/sendMessage", {
      chat_id: chat,
      text: "Robe",
      reply_markup: { inline_keyboard: [[{ text: "Acheter 1\u202f032,10\u00a0€", callback_data: "a" }]] },
    });

  test("has its buttons pressed by the beginning of their label, whatever its spaces", async () => {
    const messageId = sent.parse((await write(5)).json).result.message_id;
    for (const bouton of ["Acheter 1 032,10 €", "Acheter", "Acheter 1\u202f032,10\u00a0€"]) {
      const press = { chat: 5, message_id: messageId, bouton };
      expect((await post("/control/telegram/press", press)).status, bouton).toBe(200);
    }
    const other = { chat: 5, message_id: messageId, bouton: "Acheter 1032" };
    expect((await post("/control/telegram/press", other)).status).toBe(404);
  });

  test("is struck by a fault that names it by its number", async () => {
    await shop.control("POST", "/receivers", { canal: "telegram", pour: 7, kind: "down" });
    expect((await write(7)).status).toBe(503);
    expect((await write(8)).status).toBe(200);
    await shop.control("POST", "/receivers", { clear: true });
  });
});
