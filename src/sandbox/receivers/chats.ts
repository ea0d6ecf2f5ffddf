/** Chats with the bot and its pending updates, as Telegram stores them. */
import { z } from "zod";
import { numberCell, textCell, type Row } from "../database/database.ts";
import type { MarketDatabase } from "../database/market-database.ts";

const button = z.object({
  text: z.string(),
  url: z.string().optional(),
  callback_data: z.string().max(64).optional(),
});
export const keyboard = z.object({ inline_keyboard: z.array(z.array(button)) });
type Keyboard = z.output<typeof keyboard>["inline_keyboard"];

interface Sent {
  readonly text: string;
  readonly entities: readonly unknown[];
  readonly buttons: Keyboard;
}

interface ShownMessage {
  readonly message_id: number;
  readonly de: "robot" | "personne";
  readonly texte: string;
  readonly boutons: readonly { readonly texte: string; readonly url?: string }[];
  readonly sonore: boolean;
}

export interface Chats {
  /** Stores a message of the bot. @returns Telegram's answer */
  post(chat: number, message: Sent, isLoud: boolean): object;
  /** False when the bot wrote no such message. */
  edit(chat: number, messageId: number, message: Sent): boolean;
  /** Stores a message of the person and queues an update for the bot. */
  write(chat: number, text: string): void;
  /** Presses the button whose label starts with this text, whatever its spaces. @returns null when there is none */
  press(chat: number, messageId: number, label: string): { readonly url: string | null } | null;
  messages(chat: number): readonly ShownMessage[];
  numbers(): readonly number[];
  /** Up to `limit` pending updates from this offset on; those before it are deleted, as in Telegram's getUpdates. */
  updates(offset: number, limit: number): readonly object[];
  /** Settles with the next update or after the timeout. */
  next(timeoutMs: number): Promise<void>;
}

export function createChats(database: MarketDatabase): Chats {
  const { sql } = database;
  const insert = sql.prepare(
    "INSERT INTO chat_message (chat, sender, text, entities, buttons, is_loud) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const change = sql.prepare(
    "UPDATE chat_message SET text = ?, entities = ?, buttons = ? WHERE id = ? AND chat = ? AND sender = 'robot'",
  );
  const find = sql.prepare("SELECT * FROM chat_message WHERE id = ? AND chat = ?");
  const ofChat = sql.prepare("SELECT * FROM chat_message WHERE chat = ? ORDER BY id");
  const numbers = sql.prepare("SELECT DISTINCT chat FROM chat_message ORDER BY chat");
  const updates = createUpdates(database);

  return {
    post(chat, { text, entities, buttons }, isLoud) {
      const facts = [
        chat,
        "robot",
        text,
        JSON.stringify(entities),
        JSON.stringify(buttons),
        Number(isLoud),
      ] as const;
      const { lastInsertRowid } = insert.run(...facts);
      return wireMessage({ id: Number(lastInsertRowid), chat, text, entities, buttons });
    },
    edit(chat, messageId, { text, entities, buttons }) {
      return (
        change.run(text, JSON.stringify(entities), JSON.stringify(buttons), messageId, chat).changes === 1
      );
    },
    write(chat, text) {
      const { lastInsertRowid } = insert.run(chat, "personne", text, "[]", "[]", 0);
      updates.publish({
        message: wireMessage({ id: Number(lastInsertRowid), chat, text, entities: [], buttons: [] }),
      });
    },
    press(chat, messageId, label) {
      const row = find.get(messageId, chat);
      if (row === undefined) return null;
      const buttons = buttonsOf(row);
      const pressed = buttons.flat().find(({ text }) => plainSpaces(text).startsWith(plainSpaces(label)));
      if (pressed === undefined) return null;
      if (pressed.callback_data === undefined) return { url: pressed.url ?? null };
      const text = textCell(row, "text");
      const entities = z.array(z.unknown()).parse(JSON.parse(textCell(row, "entities")));
      const message = wireMessage({ id: messageId, chat, text, entities, buttons });
      updates.publish({
        callback_query: { id: `${messageId}-${Date.now()}`, data: pressed.callback_data, message },
      });
      return { url: null };
    },
    messages: (chat) =>
      ofChat.all(chat).map((row) => ({
        message_id: numberCell(row, "id"),
        de: textCell(row, "sender") === "robot" ? "robot" : "personne",
        texte: textCell(row, "text"),
        boutons: buttonsOf(row)
          .flat()
          .map(({ text, url }) => ({ texte: text, ...(url === undefined ? {} : { url }) })),
        sonore: numberCell(row, "is_loud") === 1,
      })),
    numbers: () => numbers.all().map((row) => numberCell(row, "chat")),
    updates: (offset, limit) => updates.updates(offset, limit),
    next: (timeoutMs) => updates.next(timeoutMs),
  };
}

/** The queue of updates that the bot has not read yet. */
function createUpdates({ sql }: MarketDatabase) {
  const announce = sql.prepare("INSERT INTO chat_update (document) VALUES (?)");
  const forget = sql.prepare("DELETE FROM chat_update WHERE id < ?");
  const pending = sql.prepare("SELECT * FROM chat_update WHERE id >= ? ORDER BY id LIMIT ?");
  let waiting: (() => void)[] = [];
  return {
    publish(update: object): void {
      announce.run(JSON.stringify(update));
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    updates(offset: number, limit: number): readonly object[] {
      forget.run(offset);
      return pending.all(offset, limit).map((row) => ({
        update_id: numberCell(row, "id"),
        ...z.record(z.string(), z.unknown()).parse(JSON.parse(textCell(row, "document"))),
      }));
    },
    async next(timeoutMs: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const timer = setTimeout(resolve, timeoutMs);
      timer.unref();
      await promise;
      clearTimeout(timer);
      waiting = waiting.filter((one) => one !== resolve);
    },
  };
}

/** Replaces no-break spaces, which labels contain in amounts, by ordinary ones. */
function plainSpaces(text: string): string {
  return text.replaceAll(/\s+/gu, " ");
}

function buttonsOf(row: Row): Keyboard {
  return keyboard.shape.inline_keyboard.parse(JSON.parse(textCell(row, "buttons")));
}

function wireMessage(one: Sent & { readonly id: number; readonly chat: number }): object {
  const { id, chat, text, entities, buttons } = one;
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1_000),
    chat: { id: chat, type: chat > 0 ? "private" : "group", first_name: `Conversation ${chat}` },
    text,
    entities,
    reply_markup: { inline_keyboard: buttons },
  };
}
