/** The five methods of Telegram's Bot API that are used. Answers are validated; errors contain no token. */
import { z } from "zod";
import { parseJson } from "#domain/json.ts";
import type { Outcome } from "../../channel.ts";
import { createPoster, type Posting } from "../../post.ts";

const chat = z.object({
  id: z.number(),
  type: z.string(),
  first_name: z.string().optional(),
  username: z.string().optional(),
});
const entity = z.looseObject({ type: z.string(), offset: z.number(), length: z.number() });
const message = z.object({
  message_id: z.number(),
  chat,
  text: z.string().default(""),
  entities: z.array(entity).default([]),
});
const update = z.object({
  update_id: z.number(),
  message: message.optional(),
  callback_query: z
    .object({ id: z.string(), data: z.string().default(""), message: message.optional() })
    .optional(),
});
export type Update = z.output<typeof update>;
export type Message = z.output<typeof message>;
type Entity = z.output<typeof entity>;

const answer = z.object({
  ok: z.boolean(),
  // Absent in a refusal.
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

/** A button below a message: opens a page, or sends a callback. */
export type Button =
  | { readonly text: string; readonly url: string }
  | { readonly text: string; readonly callback_data: string };

export interface Text {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly buttons: readonly (readonly Button[])[];
}

export interface BotApi extends AsyncDisposable {
  /** The bot's name, without "@"; null if Telegram does not answer or refuses the token. */
  getMe(): Promise<string | null>;
  /** Long poll, up to `timeoutS`, for updates from `offset` on, at most twenty. Null: it failed. */
  getUpdates(offset: number, timeoutS: number): Promise<readonly Update[] | null>;
  sendMessage(chatId: string, text: Text, isLoud: boolean): Promise<Outcome>;
  editMessage(chatId: number, messageId: number, text: Text): Promise<void>;
  answerCallback(id: string, text: string): Promise<void>;
}

const OK = 200;
const GONE = 403;
const TOO_MANY = 429;
const SERVER_FAULT = 500;
const UNAUTHORISED = 401;
const SLACK_MS = 5_000;
const MAX_UPDATES = 20;
/**
 * Per update: a text of 4,096 characters and one that it replies to, each character escaped in twelve bytes,
 * with their entities and buttons.
 */
const MAX_UPDATE_BYTES = 128 * 1_024;

interface Called {
  readonly outcome: Outcome;
  readonly result?: unknown;
  /** A successful answer that is not in the form of the Bot API, such as one longer than what is read of it. */
  readonly unreadable?: string;
}

/** @param origin of the Bot API  @param token the bot's secret */
export function createBotApi(origin: string, token: string): BotApi {
  const poster = createPoster();

  async function call(
    method: string,
    parameters: object,
    bounds: Omit<Posting, "headers" | "body"> = {},
  ): Promise<Called> {
    const result = await poster.post(`${origin}/bot${token}/${method}`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(parameters),
      ...bounds,
    });
    if (result.kind !== "answered") return { outcome: result };
    const read = answer.safeParse(parseJson(result.text));
    const status = read.data?.error_code ?? result.status;
    if (read.data?.ok === true) return { outcome: { kind: "sent" }, result: read.data.result };
    const outcome = refusalOf(status, read.data?.parameters?.retry_after ?? null);
    return { outcome, ...(status === OK && !read.success ? { unreadable: result.text } : {}) };
  }

  return {
    async getMe() {
      const { result } = await call("getMe", {});
      const read = z.object({ username: z.string() }).safeParse(result);
      return read.success ? read.data.username : null;
    },
    async getUpdates(offset, timeoutS) {
      const bounds = { deadlineMs: timeoutS * 1_000 + SLACK_MS, maxBytes: MAX_UPDATES * MAX_UPDATE_BYTES };
      const ask = async (limit: number) =>
        await call(
          "getUpdates",
          { offset, limit, timeout: timeoutS, allowed_updates: ["message", "callback_query"] },
          bounds,
        );
      let answered = await ask(MAX_UPDATES);
      // Too large together: asked for again, they would block all later ones.
      if (answered.unreadable !== undefined) answered = await ask(1);
      if (answered.unreadable !== undefined) return skippedIn(answered.unreadable);
      const read = z.array(z.unknown()).safeParse(answered.result);
      if (!read.success) return null;
      // An invalid update must not block the others.
      return read.data.flatMap((one) => {
        const known = update.safeParse(one);
        if (known.success) return [known.data];
        const { data } = z.object({ update_id: z.number() }).safeParse(one);
        return data === undefined ? [] : [data];
      });
    },
    async sendMessage(chatId, text, isLoud) {
      const { outcome } = await call("sendMessage", {
        chat_id: Number(chatId),
        ...bodyOf(text),
        disable_notification: !isLoud,
        link_preview_options: { is_disabled: true },
      });
      return outcome;
    },
    async editMessage(chatId, messageId, text) {
      await call("editMessageText", { chat_id: chatId, message_id: messageId, ...bodyOf(text) });
    },
    async answerCallback(id, text) {
      await call("answerCallbackQuery", { callback_query_id: id, ...(text === "" ? {} : { text }) });
    },
    [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
  };
}

/**
 * An update that is too large by itself, without its content. The Bot API returns no part of an update and skips
 * one only by its number, which stands before its content.
 */
function skippedIn(text: string): readonly Update[] | null {
  const [, digits] = /"update_id"\s*:\s*(\d+)/u.exec(text) ?? [];
  return digits === undefined ? null : [{ update_id: Number(digits) }];
}

function bodyOf({ text, entities, buttons }: Text): object {
  return { text, entities, reply_markup: { inline_keyboard: buttons } };
}

function refusalOf(status: number, retryAfterS: number | null): Outcome {
  if (status === GONE) return { kind: "gone" };
  if (status === TOO_MANY) return { kind: "wait", waitMs: retryAfterS === null ? null : retryAfterS * 1_000 };
  // A refused token is the operator's to fix.
  if (status >= SERVER_FAULT || status === UNAUTHORISED) return { kind: "wait", waitMs: null };
  return { kind: "refused" };
}
