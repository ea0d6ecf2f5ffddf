/**
 * Replaces the services that carry alerts: push services, Telegram's Bot API, Discord's webhooks and an SMTP
 * server. The product calls it like the real ones.
 */
import { z } from "zod";
import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type { Clock } from "#domain/clock.ts";
import { parseJson } from "#domain/json.ts";
import type { MarketDatabase } from "../database/market-database.ts";
import { connectionOf } from "../http/client-connection.ts";
import { jsonAnswer, type Answer, type Incoming } from "../http/messages.ts";
import type { ServerResponse } from "node:http";
import { keyboard, createChats, type Chats } from "./chats.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { createPushDevices, type PushDevices } from "./push-devices.ts";
import { createReceptions, type Fault, type Receptions } from "./receptions.ts";

export interface Receivers extends AsyncDisposable {
  readonly receptions: Receptions;
  readonly devices: PushDevices;
  readonly chats: Chats;
  owns(path: string): boolean;
  serve(incoming: Incoming, response: ServerResponse): Promise<void>;
}

export function createReceivers(parts: {
  readonly database: MarketDatabase;
  readonly clock: Clock;
}): Receivers {
  const receptions = createReceptions(parts.database, parts.clock);
  const devices = createPushDevices(parts.database);
  const chats = createChats(parts.database);
  const mailbox = createMailbox(receptions);
  const inbox = createInbox({ receptions, chats, nowMs: () => parts.clock.nowMs() });
  const all = { receptions, devices, chats, mailbox, inbox };
  return {
    receptions,
    devices,
    chats,
    owns: (path) => /^\/(push|telegram|boite|smtp)(\/|$)|^\/api\/webhooks\//u.test(path),
    serve: (incoming, response) => serve(all, incoming, response),
    [Symbol.asyncDispose]: () => mailbox[Symbol.asyncDispose](),
  };
}

interface All {
  readonly receptions: Receptions;
  readonly devices: PushDevices;
  readonly chats: Chats;
  readonly mailbox: Mailbox;
  readonly inbox: Inbox;
}

const NOT_FOUND = jsonAnswer(404, { error: "not found" });

async function serve(all: All, incoming: Incoming, response: ServerResponse): Promise<void> {
  const { path, method } = incoming;
  const connection = connectionOf(response);
  if (path === "/smtp") {
    await connection.send(jsonAnswer(200, { port: await all.mailbox.port() }));
    return;
  }
  if (path === "/boite" || path.startsWith("/boite/")) {
    await connection.send(all.inbox.serve(incoming));
    return;
  }
  if (path === "/push/devices" && method === "POST") {
    await connection.send(addDevice(all, incoming));
    return;
  }
  const received = method === "POST" ? await receive(all, incoming) : null;
  if (received === null) {
    await connection.send(NOT_FOUND);
    return;
  }
  if (received.isCut) connection.reset();
  else await connection.send(received.answer);
}

const deviceBody = z.object({ nom: z.string().max(200) });

function addDevice({ devices }: All, incoming: Incoming): Answer {
  const read = deviceBody.safeParse(parseJson(incoming.body));
  if (!read.success) return jsonAnswer(400, { error: "nom is needed" });
  return jsonAnswer(200, { abonnement: devices.add(read.data.nom, originOf(incoming)) });
}

/** The origin that the client used, from its Host header. */
export function originOf({ headers }: Pick<Incoming, "headers">): string {
  return `http://${headers.host ?? "localhost"}`;
}

interface Received {
  readonly answer: Answer;
  /** The connection is closed without sending the answer. */
  readonly isCut: boolean;
}

async function receive(all: All, incoming: Incoming): Promise<Received | null> {
  const { path } = incoming;
  const [, deviceId] = /^\/push\/([\w-]+)$/u.exec(path) ?? [];
  if (deviceId !== undefined) return await receivePush(all, incoming, deviceId);
  const [, webhook] = /^\/api\/webhooks\/([\w-]+)\/[\w-]+$/u.exec(path) ?? [];
  if (webhook !== undefined) {
    const content = parseJson(incoming.body) ?? null;
    return await take(all, incoming, {
      channel: "discord",
      recipient: webhook,
      content,
      accept: () => ({ status: 204, headers: {}, body: "" }),
    });
  }
  const [, method] = /^\/telegram\/bot[^/]+\/(\w+)$/u.exec(path) ?? [];
  return method === undefined ? null : await receiveTelegram(all, incoming, method);
}

async function receivePush(all: All, incoming: Incoming, deviceId: string): Promise<Received> {
  const device = all.devices.find(deviceId);
  if (device === null) return { answer: jsonAnswer(410, { error: "gone" }), isCut: false };
  const isSigned = /^vapid t=[\w.-]+, ?k=[\w-]+$/u.test(incoming.headers.authorization ?? "");
  if (!isSigned || incoming.headers["ttl"] === undefined)
    return { answer: jsonAnswer(400, { error: "VAPID and TTL are needed" }), isCut: false };
  return await take(all, incoming, {
    channel: "push",
    recipient: device.name,
    content: device.read(incoming.bytes ?? new Uint8Array()),
    accept: () => ({ status: 201, headers: {}, body: "" }),
  });
}

interface Taking {
  readonly channel: AlertChannelName;
  readonly recipient: string;
  readonly content: unknown;
  readonly accept: () => Answer;
}

const STATUSES: Readonly<Record<AlertChannelName, number>> = {
  push: 410,
  telegram: 403,
  discord: 404,
  courriel: 550,
};

/** Records the alert and answers it, applying an armed fault. */
async function take({ receptions }: All, incoming: Incoming, taking: Taking): Promise<Received> {
  const { channel, recipient, content } = taking;
  const fault = await receptions.strike(channel, recipient);
  const refusal = fault === null ? null : refusalOf(channel, fault);
  const answer = refusal ?? taking.accept();
  receptions.note({
    channel,
    recipient,
    isTaken: refusal === null,
    status: answer.status,
    method: incoming.method,
    headers: incoming.headers,
    content,
    body: incoming.bytes ?? new Uint8Array(),
  });
  return { answer, isCut: fault?.kind === "lost_answer" };
}

function refusalOf(channel: AlertChannelName, { kind, retryAfterS }: Fault): Answer | null {
  const answer = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => {
    const parameters = status === 429 ? { parameters: { retry_after: retryAfterS } } : {};
    const plain = jsonAnswer(status, { ok: false, error_code: status, description: kind, ...parameters });
    return { ...plain, headers: { ...plain.headers, ...headers } };
  };
  switch (kind) {
    case "rate_limit":
      return answer(429, { "retry-after": String(retryAfterS) });
    case "gone":
      return answer(STATUSES[channel]);
    case "down":
      return answer(503);
    case "slow":
    case "lost_answer":
      return null;
    default:
      return kind satisfies never;
  }
}

const chatId = z.coerce.number().int();
const outgoing = z.object({
  chat_id: chatId,
  message_id: z.number().int().optional(),
  text: z.string().min(1).max(4_096),
  entities: z.array(z.unknown()).default([]),
  reply_markup: keyboard.default({ inline_keyboard: [] }),
  disable_notification: z.boolean().default(false),
});
const asked = z.object({
  offset: z.number().int().default(0),
  limit: z.number().int().min(1).max(100).default(100),
  timeout: z.number().min(0).max(50).default(0),
});

const done = (result: unknown): Answer => jsonAnswer(200, { ok: true, result });
const failed = (status: number, description: string): Answer =>
  jsonAnswer(status, { ok: false, error_code: status, description });

async function receiveTelegram(all: All, incoming: Incoming, method: string): Promise<Received> {
  const { chats } = all;
  const body = parseJson(incoming.body) ?? {};
  const plain = (answer: Answer): Received => ({ answer, isCut: false });
  if (method === "getMe") return plain(done({ id: 1, is_bot: true, username: "SynapseEssaiBot" }));
  if (method === "answerCallbackQuery") return plain(done(true));
  if (method === "getUpdates") {
    const read = asked.safeParse(body);
    if (!read.success) return plain(failed(400, "Bad Request"));
    const { offset, limit, timeout } = read.data;
    let updates = chats.updates(offset, limit);
    if (updates.length === 0 && timeout > 0) {
      await chats.next(timeout * 1_000);
      updates = chats.updates(offset, limit);
    }
    return plain(done(updates));
  }
  const read = outgoing.safeParse(body);
  if (!read.success) return plain(failed(400, "Bad Request"));
  const { chat_id: chat, message_id: messageId, text, entities, disable_notification: isSilent } = read.data;
  const message = { text, entities, buttons: read.data.reply_markup.inline_keyboard };
  if (method === "editMessageText") {
    const isEdited = messageId !== undefined && chats.edit(chat, messageId, message);
    return plain(isEdited ? done(true) : failed(400, "Bad Request: message to edit not found"));
  }
  if (method !== "sendMessage") return plain(failed(404, "Not Found"));
  const accept = (): Answer => done(chats.post(chat, message, !isSilent));
  return await take(all, incoming, { channel: "telegram", recipient: String(chat), content: body, accept });
}
