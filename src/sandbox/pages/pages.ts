import { categoryPathLabel } from "#catalogue/categories.ts";
import { marketplaceColours } from "#catalogue/colours.ts";
import type { Links } from "../http/endpoint.ts";
import { htmlAnswer, pictureAnswer, type Answer, type Incoming } from "../http/messages.ts";
import { itemTotalCents } from "../market/checkout.ts";
import type { ListingState, MarketListing } from "../market/listing.ts";
import type { Market } from "../market/market.ts";
import { type MarketOrder, orderTotalCents } from "../market/order.ts";
import { drawAvatar, drawPhoto } from "../pictures/photo.ts";
import { frenchAgo, frenchAmount, page, html, type Markup, frenchMoment } from "./layout.ts";

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

const STATES: Readonly<Record<ListingState, string>> = {
  available: "En vente",
  reserved: "Réservé",
  sold: "Vendu",
  withdrawn: "Retiré de la vente",
};

const colourLabels = new Map(marketplaceColours.map(({ id, label }) => [id, label]));

function itemPage(listing: MarketListing, links: Links, nowMs: number): string {
  const colours = listing.colourIds.map((id) => colourLabels.get(id) ?? "").join(", ");
  const { seller } = listing;
  return page(
    listing.title,
    html`<article class="item">
      <img class="photo" src="${localPath(links.photoUrl(listing))}" alt="Photo : ${listing.title}" />
      <div>
        <span class="badge">${STATES[listing.state]}</span>
        <h1 style="margin-top:12px">${listing.title}</h1>
        <p>
          <span class="amount">${frenchAmount(itemTotalCents(listing.priceCents))}</span><br />
          <span class="quiet"
            >Protection acheteurs comprise. Article : ${frenchAmount(listing.priceCents)}, livraison dès
            ${frenchAmount(Math.min(listing.homeShippingCents, listing.pointShippingCents))}.</span
          >
        </p>
        <dl>
          ${row("Marque", listing.brandTitle)}${row("Taille", listing.sizeTitle)}${row("État", listing.conditionLabel)}${row("Couleur", colours)}
          ${row("Catégorie", categoryPathLabel(listing.leafId))}${row("Mis en ligne", frenchAgo(listing.publishedAtMs, nowMs))}
        </dl>
        <div class="seller">
          ${seller.hasPhoto ? html`<img src="${localPath(links.avatarUrl(seller))}" alt="" />` : html``}
          <div><strong>${seller.login}</strong><br /><span class="quiet">Vend cet article</span></div>
        </div>
      </div>
    </article>`,
  );
}

function row(label: string, value: string): Markup {
  return value === ""
    ? html``
    : html`<dt>${label}</dt>
        <dd>${value}</dd>`;
}

/** Pictures are loaded from the page's own origin. */
function localPath(url: string): string {
  return new URL(url).pathname;
}

function missingPage(): string {
  return page(
    "Introuvable",
    html`<div class="card narrow">
      <h1>Cette page n'existe pas</h1>
      <p>L'article a peut-être été retiré. <a href="/">Voir les derniers articles</a></p>
    </div>`,
  );
}

/** The newest listings, for people who open the sandbox in a browser. */
function frontPage(listings: readonly MarketListing[], links: Links): string {
  return page(
    "Derniers articles",
    html`<h1>Derniers articles</h1>
      <p class="quiet">
        Le marché fictif que l'application surveille. Ouvrez l'application elle-même pour filtrer et acheter.
      </p>
      ${listings.length === 0 ? html`<p>Rien n'est en vente pour l'instant.</p>` : html``}
      <div class="grid">${listings.map((listing) => tile(listing, links))}</div>`,
  );
}

function tile(listing: MarketListing, links: Links): Markup {
  return html`<a href="${links.itemPath(listing)}"
    ><img class="photo" loading="lazy" src="${localPath(links.photoUrl(listing))}" alt="" /><strong
      >${frenchAmount(itemTotalCents(listing.priceCents))}</strong
    ><span>${listing.title}</span></a
  >`;
}

/** The fake bank's 3-D Secure page: a question, or its outcome. */
function confirmationPage(order: MarketOrder, listing: MarketListing | null, nowMs: number): string {
  const { confirmation } = order.details;
  const isOpen = order.state === "awaiting" && confirmation !== null && !confirmation.isLinkDead;
  const isAsking = isOpen && confirmation.arrivesAtMs === null && confirmation.expiresAtMs > nowMs;
  return page(
    "Paiement",
    html`<div class="card narrow">
      <h1>${isAsking ? "Confirmer votre paiement ?" : outcomeTitle(order, isOpen)}</h1>
      <p class="quiet">Banque fictive · 3-D Secure</p>
      <p class="amount">${frenchAmount(orderTotalCents(order) ?? 0)}</p>
      <dl>
        <dt>Article</dt>
        <dd>${listing?.title ?? `n° ${order.listingId}`}</dd>
        <dt>Transaction</dt>
        <dd>n° ${order.id}</dd>
        ${
          isAsking
            ? html`<dt>Valable jusqu'au</dt>
                <dd>${frenchMoment(confirmation.expiresAtMs)}</dd>`
            : html``
        }
      </dl>
      ${isAsking ? buttons(confirmation.token) : html`<p>${outcomeText(order, isOpen)}</p>`}
    </div>`,
  );
}

function buttons(token: string): Markup {
  return html`<div class="stack">
    <form method="post" action="/3ds/${token}/confirm">
      <button class="button">Confirmer le paiement</button>
    </form>
    <form method="post" action="/3ds/${token}/refuse"><button class="button plain">Refuser</button></form>
  </div>`;
}

function outcomeTitle(order: MarketOrder, isOpen: boolean): string {
  if (order.state === "paid") return "Paiement confirmé";
  if (order.state === "cancelled") return "Achat annulé";
  if (order.state === "failed" && order.details.failureCode === "payment_refused") return "Paiement refusé";
  return isOpen ? "Réponse transmise" : "Ce lien a expiré";
}

function outcomeText(order: MarketOrder, isOpen: boolean): string {
  if (order.state === "paid") return "Vous pouvez fermer cette page : l'achat apparaît dans l'application.";
  if (order.state === "cancelled") return "L'argent vous est rendu.";
  if (order.state === "failed") return "Rien n'a été débité et l'article est de nouveau en vente.";
  return isOpen
    ? "Votre accord est en route vers la place de marché."
    : "La banque n'attend plus de réponse par ce lien. L'application dira ce qu'est devenu l'achat.";
}
