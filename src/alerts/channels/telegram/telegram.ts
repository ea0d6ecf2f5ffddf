import type { Channel, OutgoingListing } from "../../channel.ts";
import type { BotApi, Button, Text } from "./bot-api.ts";

/** Telegram allows 30 messages a second, and about one a second in a chat. */
const MAX_PER_SECOND = 25;
const MIN_INTERVAL_MS = 1_000;

/** @param areLinksShown false: Telegram would refuse buttons with an address of this machine */
export function createTelegram(api: BotApi, { areLinksShown }: { readonly areLinksShown: boolean }): Channel {
  return {
    minIntervalMs: MIN_INTERVAL_MS,
    maxPerSecond: MAX_PER_SECOND,
    async send(address, { message, isLoud, url, listing }) {
      const { title, body } = message;
      const text = body === "" ? title : `${title}\n${body}`;
      const open: readonly Button[][] = areLinksShown ? [[{ text: "Ouvrir Synapse", url }]] : [];
      const buttons = listing === null ? open : keyboardOf(listing, { url, areLinksShown });
      const entities = [{ type: "bold", offset: 0, length: title.length }];
      return await api.sendMessage(address.reveal(), { text, entities, buttons } satisfies Text, isLoud);
    },
    async check() {
      return (await api.getMe()) !== null;
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

/** The actions of callback buttons, sent with the link's token. */
const ACTS = ["buy", "confirm", "decline", "block", "pause"] as const;
export type Act = (typeof ACTS)[number];
const SIGNS: Readonly<Record<Act, string>> = { buy: "a", confirm: "o", decline: "n", block: "b", pause: "p" };

/** At most 64 bytes, Telegram's limit. */
function callbackOf(act: Act, token: string): string {
  return `${SIGNS[act]}:${token}`;
}

export function readCallback(data: string): { readonly act: Act; readonly token: string } | null {
  const [, sign, token = ""] = /^([a-z]):([\w-]{43})$/u.exec(data) ?? [];
  const act = ACTS.find((one) => SIGNS[one] === sign);
  return act === undefined ? null : { act, token };
}

export function keyboardOf(
  { buyLabel, marketUrl, token, mayBuyByReply }: OutgoingListing,
  { url, areLinksShown }: { readonly url: string; readonly areLinksShown: boolean },
): readonly (readonly Button[])[] {
  const buyLink: readonly Button[] = areLinksShown ? [{ text: buyLabel, url }] : [];
  const buy = mayBuyByReply ? [{ text: buyLabel, callback_data: callbackOf("buy", token) }] : buyLink;
  const look: readonly Button[] =
    areLinksShown || marketUrl.startsWith("https:") ? [{ text: "Voir", url: marketUrl }] : [];
  return [
    buy,
    [
      { text: "Bloquer ce vendeur", callback_data: callbackOf("block", token) },
      { text: "Pause 1 h", callback_data: callbackOf("pause", token) },
    ],
    look,
  ].filter((row) => row.length > 0);
}

/** The confirmation before a purchase: "Oui, acheter 32,10 €", "Non". */
export function questionOf({ buyLabel, token }: OutgoingListing): readonly (readonly Button[])[] {
  const answer = `Oui, ${buyLabel.charAt(0).toLowerCase()}${buyLabel.slice(1)}`;
  return [
    [
      { text: answer, callback_data: callbackOf("confirm", token) },
      { text: "Non", callback_data: callbackOf("decline", token) },
    ],
  ];
}
