import { htmlAnswer, pictureAnswer, type Answer } from "../http/answer.ts";
import type { Incoming } from "../http/incoming.ts";
import type { Links } from "../http/endpoint.ts";
import type { Market } from "../market/market.ts";
import type { MarketOrder } from "../market/order.ts";
import { drawAvatar } from "../pictures/avatar.ts";
import { drawPhoto } from "../pictures/photo.ts";
import { confirmationPage } from "./confirmation-page.ts";
import { frontPage, itemPage, missingPage } from "./item-page.ts";

/** Pages for browsers: items, pictures, 3-D Secure. */
export interface Pages {
  serve(incoming: Incoming): Answer;
}

interface PageParts {
  readonly market: Market;
  readonly links: Links;
  readonly nowMs: () => number;
}

const ITEM_PATH = /^\/items\/(\d{1,15})(?:-[^/]*)?$/;
const PHOTO_PATH = /^\/photos\/(\d{1,10})-(\d{1,6})((?:-\d{1,3}){0,4})\.svg$/;
const AVATAR_PATH = /^\/avatars\/(\d{1,15})\.svg$/;
const CONFIRMATION_PATH = /^\/3ds\/([\w-]{10,64})(?:\/(confirm|refuse))?$/;
const FRONT_LISTINGS = 48;
/** A price tag, requested by browsers with every page. */
const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#6b7a72" d="M4 6a2 2 0 0 1 2-2h10l12 12a2 2 0 0 1 0 3l-9 9a2 2 0 0 1-3 0L4 16Z"/><circle cx="10" cy="10" r="2.5" fill="#fff"/></svg>';

export function createPages(parts: PageParts): Pages {
  const { market, links, nowMs } = parts;
  const missing = (): Answer => htmlAnswer(404, missingPage());

  const item = (id: number): Answer => {
    const listing = market.stock.byId(id);
    return listing === null ? missing() : htmlAnswer(200, itemPage(listing, links, nowMs()));
  };

  return {
    serve(incoming) {
      const { method, path } = incoming;
      const acceptEncoding = incoming.headers["accept-encoding"]?.toString();
      market.settleDue();
      const confirmation = CONFIRMATION_PATH.exec(path);
      if (confirmation !== null) return confirm(parts, method, confirmation) ?? missing();
      if (method !== "GET" && method !== "HEAD") return missing();
      if (path === "/") return htmlAnswer(200, frontPage(newest(market), links));
      if (path === "/favicon.ico") return pictureAnswer(FAVICON, acceptEncoding);
      const itemMatch = ITEM_PATH.exec(path);
      if (itemMatch !== null) return item(Number(itemMatch[1]));
      const photo = PHOTO_PATH.exec(path);
      if (photo !== null) return pictureAnswer(photoOf(photo), acceptEncoding);
      const avatar = AVATAR_PATH.exec(path);
      if (avatar !== null) return pictureAnswer(drawAvatar(Number(avatar[1])), acceptEncoding);
      return missing();
    },
  };
}

function newest(market: Market) {
  const everything = { leafIds: null, brandIds: null, sizeIds: null, conditionIds: null, colourIds: null };
  const query = { ...everything, priceFromCents: 0, priceToCents: Infinity, words: [], page: 1, perPage: 96 };
  return market.searchIndex.newest(query).slice(0, FRONT_LISTINGS);
}

function photoOf([, seed, leafId, colours = ""]: RegExpExecArray): string {
  const colourIds = colours.split("-").filter((text) => text !== "");
  return drawPhoto({ seed: Number(seed), leafId: Number(leafId), colourIds: colourIds.map(Number) });
}

/** Null for an unknown link. */
function confirm({ market, nowMs }: PageParts, method: string, match: RegExpExecArray): Answer | null {
  const [, token = "", decision] = match;
  const order = market.database.orders.byConfirmationToken(token);
  if (order === null) return null;
  const decided = method === "POST" ? decide(market, order, decision, nowMs()) : order;
  return htmlAnswer(200, confirmationPage(decided, market.stock.byId(decided.listingId), nowMs()));
}

function decide(
  market: Market,
  order: MarketOrder,
  decision: string | undefined,
  nowMs: number,
): MarketOrder {
  const { confirmation } = order.details;
  if (confirmation === null || confirmation.isLinkDead || confirmation.expiresAtMs <= nowMs) return order;
  if (decision === "confirm") return market.payments.confirm(order.id) ?? order;
  if (decision === "refuse") return market.payments.refuse(order.id) ?? order;
  return order;
}
