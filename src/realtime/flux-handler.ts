/**
 * `flux_handler`: sends matches as soon as they arrive and answers every poll. The person's session, plan and blocked
 * sellers are checked before each event.
 */
import { FLUX_MAX_SHOWN } from "#contract/bounds.ts";
import type { AConfirmerPayload, FluxPayload } from "#contract/socket.ts";
import type { Clock } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { PriceRise } from "#domain/events.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import type { ListingBackground, Seller } from "#domain/market/listing.ts";
import type { KeyedQueue } from "#domain/concurrency.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { eur } from "#domain/money.ts";
import { type Feed, shownPause } from "#feed/feed.ts";
import { presentArticle, presentFurtherMatch, presentProduitDuFlux } from "#presenters/produit.ts";
import type { SellerStore } from "#store/store.ts";
import type { Admission, ClientSocket } from "./admission.ts";
import { createTokenBucket, watchOutbound } from "./connection-limits.ts";
import { FluxStream, NO_CURSOR } from "./flux-stream.ts";

interface FluxDeps {
  readonly feed: Pick<Feed, "state" | "replay" | "watch">;
  readonly sellers: Pick<SellerStore, "blockedOf">;
  readonly clock: Clock;
  readonly log: Log;
  /** Scheme and host of the marketplace for browsers. */
  readonly marketUrl: string;
  readonly areLimitsOn: boolean;
  /** Closes a connection whose client does not read. */
  readonly cut: (socket: ClientSocket) => void;
  /** With several nodes an event may be lost: block lists are read again after this time. Infinity with one. */
  readonly blockListAgeMs: number;
  /** Serialises one person's replays, each of which may have thousands of listings. */
  readonly inTurn: KeyedQueue;
}

export interface FluxHandler {
  /** The person's new matches. */
  offer(matches: readonly UserMatch[]): void;
  /** A listing's price rose: sent if the page has the listing. Never rejects. */
  priceRose(rise: PriceRise): Promise<void>;
  /** A fact beyond the catalogue: sent if the page has the listing. Never rejects. */
  backgroundKnown(listingId: ListingId, background: ListingBackground): Promise<void>;
  /** Asks the person to confirm a purchase, unless they blocked the seller meanwhile. Never rejects. */
  toConfirm(seller: Seller, payload: AConfirmerPayload): Promise<void>;
  /** The person blocked or unblocked sellers. */
  sellersChanged(): void;
  close(): void;
}

/** Matches within this time are sent as one event. */
const COALESCE_MS = 25;
const EVENTS_PER_SECOND = 2;
const EVENT_BURST = 10;
const CURSOR_TEXT = /^\d{1,20}$/;

export function openFlux(socket: ClientSocket, admission: Admission, deps: FluxDeps): FluxHandler {
  const { feed, clock, log } = deps;
  const queue = watchOutbound(socket.conn, () => deps.cut(socket));
  const since = cursorOf(socket.handshake.auth["depuis"]);
  const shown = shownIn(socket.handshake.auth["affiches"]);
  const stopWatching = feed.watch(admission.userId);
  const blockList = createBlockList(admission.userId, deps);
  let cancelFlush: (() => void) | null = null;

  const giveUp = giveUpWith(socket, admission, log);
  const sendWith = senderOf(socket, admission, { blockList, giveUp });
  const stream = new FluxStream(
    {
      send({ matches, cursor }, whenSent) {
        socket.emit("flux_handler", payloadOf(matches, cursor, deps));
        queue.whenEmpty(whenSent);
      },
      sendFilters: (matches) => sendFilters(socket, matches),
      resume: () => void pump(),
      overflow: () => deps.cut(socket),
    },
    since ?? NO_CURSOR,
    shown,
  );

  const pump = (): Promise<void> => sendWith((blocked) => stream.flush(blocked));

  async function catchUp(): Promise<void> {
    try {
      const missed = await missedBy(socket, admission, { ...deps, since });
      if (missed === null) return;
      stream.catchUp(missed);
    } catch (error) {
      return giveUp(error, "a stream could not catch up");
    }
    await pump();
  }

  const polls = createPolls(deps, () => {
    if (stream.registerPoll()) void pump();
  });
  socket.on("flux_handler", () => polls.add());
  void catchUp();

  return {
    offer(matches) {
      stream.offer(matches);
      if (cancelFlush !== null) return;
      cancelFlush = clock.schedule(COALESCE_MS, () => {
        cancelFlush = null;
        void pump();
      });
    },
    async priceRose(rise) {
      if (!stream.priceRose(rise)) return;
      const { listingId, totalPriceCents } = rise;
      await sendWith(() => socket.emit("prix", { id: listingId, total_item_price: eur(totalPriceCents) }));
    },
    async backgroundKnown(listingId, background) {
      if (stream.learn(listingId, background))
        await sendWith(() => socket.emit("articleData", presentArticle(listingId, background)));
    },
    toConfirm: (seller, payload) =>
      sendWith((blocked) => {
        if (!blocked.has(seller)) socket.emit("achat_a_confirmer", payload);
      }),
    sellersChanged: () => blockList.changed(),
    close() {
      cancelFlush?.();
      polls.close();
      stopWatching();
    },
  };
}

/** Beyond the pace a poll is answered later, together with those that arrive meanwhile. */
function createPolls({ clock, areLimitsOn }: Pick<FluxDeps, "clock" | "areLimitsOn">, answer: () => void) {
  const pace = createTokenBucket({ perSecond: EVENTS_PER_SECOND, burst: EVENT_BURST });
  let cancel: (() => void) | null = null;
  const serve = (): void => {
    cancel = null;
    if (!areLimitsOn || pace.take(clock.nowMs())) answer();
    else cancel = clock.schedule(1_000 / EVENTS_PER_SECOND, serve);
  };
  return {
    add(): void {
      if (cancel === null) serve();
    },
    close(): void {
      cancel?.();
    },
  };
}

/** The page connects again, with its cursor. */
function giveUpWith(socket: ClientSocket, { userId }: Admission, log: Log) {
  return (error: unknown, message: string): void => {
    log.error({ userId, ...describeError(error) }, message);
    socket.disconnect(true);
  };
}

/** Sends with the person's block list, or disconnects a page whose session or plan has ended. Never rejects. */
function senderOf(
  socket: ClientSocket,
  admission: Admission,
  { blockList, giveUp }: { readonly blockList: BlockList; readonly giveUp: ReturnType<typeof giveUpWith> },
) {
  return async (send: (blocked: BlockedSellers) => void): Promise<void> => {
    try {
      // The block list is read last: nothing of a seller may be sent after the answer to the block.
      if (await admission.isStillValid()) send(await blockList.now());
      else socket.disconnect(true);
    } catch (error) {
      giveUp(error, "a stream could not go on");
    }
  };
}

function sendFilters(socket: ClientSocket, matches: readonly UserMatch[]): void {
  for (const match of matches) socket.emit("articleData", presentFurtherMatch(match));
}

interface BlockList {
  /** The current list, never one that was read before the last change. */
  now(): Promise<BlockedSellers>;
  changed(): void;
}

function createBlockList(
  userId: UserId,
  { sellers, clock, blockListAgeMs }: Pick<FluxDeps, "sellers" | "clock" | "blockListAgeMs">,
): BlockList {
  let latest: { readonly atMs: number; readonly list: Promise<BlockedSellers> } | null = null;
  let version = 0;

  const read = (): Promise<BlockedSellers> => {
    const nowMs = clock.nowMs();
    if (latest === null || nowMs - latest.atMs >= blockListAgeMs) {
      const reading = { atMs: nowMs, list: sellers.blockedOf(userId) };
      latest = reading;
      // The caller reports the failure, and the next call reads again.
      reading.list.catch(() => {
        if (latest === reading) latest = null;
      });
    }
    return latest.list;
  };

  return {
    async now() {
      for (;;) {
        const readVersion = version;
        const list = await read();
        if (readVersion === version) return list;
      }
    },
    changed() {
      version += 1;
      latest = null;
    },
  };
}

/** Null if the client disconnected while it was queued. */
async function missedBy(
  socket: ClientSocket,
  { userId }: Admission,
  { feed, inTurn, since }: Pick<FluxDeps, "feed" | "inTurn"> & { readonly since: string | null },
): Promise<readonly UserMatch[] | null> {
  return await inTurn(userId, async () => (socket.connected ? await feed.replay(userId, since) : null));
}

/** An invalid cursor counts as none: the client then receives the last five minutes. */
function cursorOf(sent: unknown): string | null {
  return typeof sent === "string" && CURSOR_TEXT.test(sent) && sent !== NO_CURSOR ? sent : null;
}

/** Empty for anything other than a list of listings. */
function shownIn(sent: unknown): readonly number[] {
  if (!Array.isArray(sent)) return [];
  return sent.slice(0, FLUX_MAX_SHOWN).filter((id): id is number => Number.isSafeInteger(id));
}

function payloadOf(matches: readonly UserMatch[], curseur: string, deps: FluxDeps): FluxPayload {
  const pause = shownPause(deps.feed.state());
  return {
    items: matches.map((match) => presentProduitDuFlux(match, deps.marketUrl)),
    curseur,
    ...(pause === null ? {} : { pause: pause.reason }),
    ...(pause === null || pause.untilMs === null ? {} : { reprise: pause.untilMs }),
  };
}
