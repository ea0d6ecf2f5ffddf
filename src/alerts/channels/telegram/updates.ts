/** Handles messages to the bot and pressed buttons; on one node at a time. Private chats only. */
import { type Clock, sleep } from "#domain/clock.ts";
import type { UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Purchase } from "#domain/purchase.ts";
import { euroText, purchaseMessage } from "#presenters/french-texts.ts";
import { marketLink } from "#presenters/market-links.ts";
import type { ClickOutcome } from "#purchasing/purchasing.ts";
import type { AlertActions } from "../../actions.ts";
import type { Connections, Paired } from "../../connections.ts";
import type { OutgoingListing } from "../../channel.ts";
import type { BotApi, Button, Message, Update } from "./bot-api.ts";
import { type Act, keyboardOf, questionOf, readCallback } from "./telegram.ts";

export interface TelegramUpdatesDeps {
  readonly api: BotApi;
  readonly actions: AlertActions;
  /** Pairs the chat with the person of a code. */
  readonly pair: Connections["pair"];
  /** False: the chat was not paired. */
  readonly unpair: (chatId: string) => Promise<boolean>;
  readonly personOf: (chatId: string) => Promise<{
    readonly userId: UserId;
    readonly maySpend: boolean;
  } | null>;
  readonly refusalText: (outcome: Exclude<ClickOutcome, { readonly kind: "accepted" }>) => string;
  readonly publicUrl: string;
  readonly marketUrl: string;
  readonly areLinksShown: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const POLL_S = 25;
const RETRY_MS = 3_000;
/** Longer than any handling except a purchase. */
const PATIENCE_MS = 1_000;
const MAX_TRIES = 5;
const TRIES_KEPT_MS = 10 * 60_000;
const MAX_CHATS = 10_000;

/** Starts reading. @returns ends it */
export function startTelegramUpdates(deps: TelegramUpdatesDeps): () => Promise<void> {
  const { api, clock } = deps;
  const handling = handleInOrder(deps);
  const ending = new AbortController();
  const ended = Promise.withResolvers<null>();

  async function run(): Promise<void> {
    let offset = 0;
    while (!ending.signal.aborted) {
      // Stopping does not wait for the request, which ends by its own deadline.
      const updates = await Promise.race([api.getUpdates(offset, POLL_S), ended.promise]);
      if (ending.signal.aborted) return;
      if (updates === null) await Promise.race([sleep(clock, RETRY_MS), ended.promise]);
      if (updates === null || updates.length === 0) continue;
      // The next request acknowledges the updates; one interrupted by a kill is repeated, unless it was slow.
      const handled = Promise.all(updates.map((update) => handling.begin(update)));
      await Promise.race([handled, sleep(clock, PATIENCE_MS), ended.promise]);
      offset = Math.max(offset, ...updates.map((update) => update.update_id + 1));
    }
  }

  const running = run();
  return async () => {
    ending.abort();
    ended.resolve(null);
    await running;
    await handling.settled();
  };
}

/** Handles each chat's updates in order; a slow purchase delays no other chat. */
function handleInOrder(deps: TelegramUpdatesDeps) {
  const tries = createTries(deps.clock);
  const lastOfChat = new Map<number, Promise<void>>();
  return {
    async begin(update: Update): Promise<void> {
      const chatId = (update.message ?? update.callback_query?.message)?.chat.id ?? 0;
      const before = lastOfChat.get(chatId);
      const work = (async () => {
        await before;
        await handle(deps, tries, update).catch((error: unknown) => {
          const fields = { part: "alerts" as const, ...describeError(error) };
          deps.log.warn(fields, "a message to the bot could not be handled");
        });
      })();
      lastOfChat.set(chatId, work);
      await work;
      if (lastOfChat.get(chatId) === work) lastOfChat.delete(chatId);
    },
    settled: () => Promise.all(lastOfChat.values()),
  };
}

/** Rate limit of pairing codes per chat: five attempts in ten minutes. */
function createTries(clock: Pick<Clock, "nowMs">) {
  const byChat = new Map<number, { count: number; untilMs: number }>();
  return (chatId: number): boolean => {
    const nowMs = clock.nowMs();
    const known = byChat.get(chatId);
    const entry =
      known !== undefined && known.untilMs > nowMs ? known : { count: 0, untilMs: nowMs + TRIES_KEPT_MS };
    entry.count += 1;
    byChat.set(chatId, entry);
    const [oldest] = byChat.keys();
    if (byChat.size > MAX_CHATS && oldest !== undefined) byChat.delete(oldest);
    return entry.count <= MAX_TRIES;
  };
}

async function handle(
  deps: TelegramUpdatesDeps,
  mayTry: (chatId: number) => boolean,
  { message, callback_query: pressed }: Update,
): Promise<void> {
  if (message?.chat.type === "private") await handleText(deps, mayTry, message);
  if (pressed?.message?.chat.type === "private")
    await handlePress(deps, { id: pressed.id, data: pressed.data, message: pressed.message });
}

async function handleText(
  deps: TelegramUpdatesDeps,
  mayTry: (chatId: number) => boolean,
  { chat, text }: Message,
): Promise<void> {
  const chatId = String(chat.id);
  const reply = (line: string) =>
    deps.api.sendMessage(chatId, { text: line, entities: [], buttons: [] }, true);
  // Alone too: the dialog shows the code to people who do not open its link.
  const [, code] = /^(?:\/start\s+)?([A-Za-z0-9]{8})\s*$/u.exec(text) ?? [];
  if (code !== undefined) {
    if (!mayTry(chat.id)) {
      await reply("Trop d'essais : attendez 10 minutes.");
      return;
    }
    const name = chat.first_name ?? chat.username ?? "Telegram";
    await reply(pairedText(await deps.pair(code.toUpperCase(), chatId, name)));
    return;
  }
  if (/^\/stop\b/u.test(text)) {
    const wasPaired = await deps.unpair(chatId);
    await reply(
      wasPaired
        ? "Cette conversation ne reçoit plus d'alertes."
        : "Cette conversation n'est reliée à aucun compte.",
    );
    return;
  }
  await reply("Pour relier cette conversation, demandez un code dans Synapse, page « Alertes ».");
}

function pairedText(paired: Paired): string {
  switch (paired.kind) {
    case "paired":
      return "C'est réglé : vos alertes Synapse arriveront ici. Pour arrêter : /stop";
    case "unknown":
      return "Ce code n'est pas valable : demandez-en un autre dans Synapse, page « Alertes ».";
    case "full":
      return `Vous avez déjà ${paired.limit} conversations reliées : retirez-en une dans Synapse, page « Alertes ».`;
    default:
      return paired satisfies never;
  }
}

interface Press {
  readonly id: string;
  readonly data: string;
  readonly message: Message;
}

async function handlePress(deps: TelegramUpdatesDeps, press: Press): Promise<void> {
  const { api } = deps;
  const person = await deps.personOf(String(press.message.chat.id));
  const asked = readCallback(press.data);
  if (person === null || asked === null) {
    await api.answerCallback(press.id, "Cette conversation n'est reliée à aucun compte.");
    return;
  }
  await perform(deps, { ...press, ...asked, ...person });
}

type Performed = Press & {
  readonly act: Act;
  readonly token: string;
  readonly userId: UserId;
  readonly maySpend: boolean;
};

async function perform(deps: TelegramUpdatesDeps, asked: Performed): Promise<void> {
  const { api, actions } = deps;
  const { id, act, token, userId } = asked;
  switch (act) {
    case "block": {
      const login = await actions.block(userId, token);
      const text = login === null ? "Ce vendeur n'a pas pu être bloqué." : `${login} est bloqué.`;
      await api.answerCallback(id, text);
      return;
    }
    case "pause":
      await actions.pause(userId, 60);
      await api.answerCallback(id, "Alertes d'articles en pause pour 1 h.");
      return;
    case "buy":
    case "confirm":
    case "decline":
      await performPurchase(deps, asked);
      return;
    default:
      return act satisfies never;
  }
}

async function performPurchase(deps: TelegramUpdatesDeps, asked: Performed): Promise<void> {
  const { api, actions } = deps;
  const { id, act, token, userId, maySpend } = asked;
  const edit = (added: string, buttons: readonly (readonly Button[])[]) => {
    const { chat, message_id: messageId, text, entities } = asked.message;
    return api.editMessage(chat.id, messageId, {
      text: added === "" ? text : `${text}\n${added}`,
      entities,
      buttons,
    });
  };
  const found = await actions.look(userId, token);
  if (found === null) {
    await api.answerCallback(id, "Ce lien est inconnu.");
    return;
  }
  if (found.state !== "valid" && act !== "decline") {
    const text =
      found.state === "used" ? usedText(await actions.purchaseOf(userId, found.link)) : "Ce lien a expiré";
    await api.answerCallback(id, text);
    await edit(text, []);
    return;
  }
  const offer: OutgoingListing = {
    buyLabel: `Acheter ${euroText(found.link.totalPriceCents)}`,
    marketUrl:
      found.listing === null ? deps.marketUrl : marketLink(deps.marketUrl, found.listing.listing.path),
    token,
    mayBuyByReply: true,
  };
  await api.answerCallback(id, maySpend ? "" : "« Acheter depuis Telegram » est désactivé dans Synapse.");
  if (maySpend && act === "buy") return await edit("", questionOf(offer));
  if (maySpend && act === "confirm") return await edit(await resultOf(deps, userId, token), []);
  const { areLinksShown, publicUrl } = deps;
  // A question that was declined, or can no longer be answered, is withdrawn.
  if (act !== "buy")
    await edit("", keyboardOf(offer, { url: `${publicUrl}/alerte#${token}`, areLinksShown }));
}

/** "Acheté : 32,10 €", or why it was not bought. */
async function resultOf(deps: TelegramUpdatesDeps, userId: UserId, token: string): Promise<string> {
  const bought = await deps.actions.buy(userId, token);
  if (bought.kind === "unknown") return "Ce lien est inconnu.";
  if (bought.kind === "used") return "Ce lien a déjà servi";
  if (bought.kind === "expired") return "Ce lien a expiré";
  const { outcome } = bought;
  if (outcome.kind !== "accepted") return deps.refusalText(outcome);
  return resultText(outcome.purchase);
}

/** For a repeated press, possibly after a restart: the purchase is more informative than the link. */
function usedText(purchase: Purchase | null): string {
  return purchase === null ? "Ce lien a déjà servi" : resultText(purchase);
}

function resultText(purchase: Purchase): string {
  if (purchase.state !== "confirmed") return purchaseMessage(purchase);
  return `Acheté : ${euroText(purchase.chargedCents ?? purchase.listing.totalPriceCents)}`;
}
