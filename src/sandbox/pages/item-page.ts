import { categoryPathLabel } from "#catalogue/categories.ts";
import { marketplaceColours } from "#catalogue/colours.ts";
import type { Links } from "../http/endpoint.ts";
import type { ListingState, MarketListing } from "../market/listing.ts";
import { itemTotalCents } from "../market/checkout.ts";
import { frenchAgo, frenchAmount, page, html, type Markup } from "./layout.ts";

const STATES: Readonly<Record<ListingState, string>> = {
  available: "En vente",
  reserved: "Réservé",
  sold: "Vendu",
  withdrawn: "Retiré de la vente",
};

const colourLabels = new Map(marketplaceColours.map(({ id, label }) => [id, label]));

/** The page of an item. */
export function itemPage(listing: MarketListing, links: Links, nowMs: number): string {
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

export function missingPage(): string {
  return page(
    "Introuvable",
    html`<div class="card narrow">
      <h1>Cette page n'existe pas</h1>
      <p>L'article a peut-être été retiré. <a href="/">Voir les derniers articles</a></p>
    </div>`,
  );
}

/** The newest listings, for people who open the sandbox in a browser. */
export function frontPage(listings: readonly MarketListing[], links: Links): string {
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
