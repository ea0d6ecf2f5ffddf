/** A purchase as a message in a person's Discord channel. Pure. */
import type { Purchase, PurchaseState } from "#domain/purchase.ts";
import { euroText, purchaseMessage } from "./french-texts.ts";
import { pictureLink } from "./market-links.ts";

/** The body of a webhook call, as Discord documents it. */
export interface DiscordMessage {
  readonly username: string;
  /** Disables mentions, which a seller's text may contain. */
  readonly allowed_mentions: { readonly parse: readonly [] };
  readonly embeds: readonly {
    readonly title: string;
    readonly description: string;
    readonly url: string;
    readonly color: number;
    readonly fields: readonly { readonly name: string; readonly value: string; readonly inline: true }[];
    readonly image?: { readonly url: string };
  }[];
}

interface AlertFacts {
  readonly purchase: Purchase;
  /** The tag of the filter that bought; null: a click, or a filter that is gone. */
  readonly filterTag: string | null;
  /** Where the panel is: scheme and host. */
  readonly publicUrl: string;
}

const [GREEN, YELLOW, RED, GREY] = [0x2e_a0_43, 0xd2_99_22, 0xda_36_33, 0x6e_76_81];

const HEADINGS: Readonly<Partial<Record<PurchaseState, readonly [title: string, colour: number]>>> = {
  confirmed: ["Achat confirmé", GREEN],
  awaiting: ["Votre banque attend votre confirmation", YELLOW],
  failed: ["Achat annulé", RED],
  quarantine: ["Achat à vérifier (Inconnu)", GREY],
};

/** Below Discord's limits. */
const MAX_DESCRIPTION = 1_500;
const MAX_FIELD = 200;

/** Whether a purchase is reported in its present state: a simulation, an order made elsewhere or a bare attempt is not. */
export function isAlert({ state, mode, source, reachedCheckout }: Purchase): boolean {
  if (mode !== "live" || source === "external") return false;
  return state === "failed" ? reachedCheckout : HEADINGS[state] !== undefined;
}

export function presentPurchaseAlert({ purchase, filterTag, publicUrl }: AlertFacts): DiscordMessage {
  const { state, source, listing, chargedCents } = purchase;
  const [title, color] = HEADINGS[state] ?? ["Achat", GREY];
  const picture = pictureLink(listing.photoUrl);
  const filter = filterTag ?? (source === "click" ? "Achat en un clic" : "Filtre supprimé");
  return messageOf({
    title,
    description: plainText(purchaseMessage(purchase), MAX_DESCRIPTION),
    url: `${publicUrl}/synapse/achats`,
    color,
    fields: [
      { name: "Prix", value: euroText(listing.totalPriceCents), inline: true },
      ...(chargedCents === null
        ? []
        : [{ name: "Payé, livraison comprise", value: euroText(chargedCents), inline: true as const }]),
      { name: "Filtre", value: plainText(filterTag === "" ? "Sans nom" : filter, MAX_FIELD), inline: true },
    ],
    ...(picture === null ? {} : { image: { url: picture } }),
  });
}

/** What 'Envoyer un essai' sends. */
export function presentTestAlert(publicUrl: string): DiscordMessage {
  return messageOf({
    title: "Essai de Synapse",
    description: "Vos alertes d'achat arriveront ici : confirmés, annulés, à confirmer ou à vérifier.",
    url: `${publicUrl}/synapse/achats`,
    color: GREEN,
    fields: [],
  });
}

function messageOf(embed: DiscordMessage["embeds"][number]): DiscordMessage {
  return { username: "Synapse", allowed_mentions: { parse: [] }, embeds: [embed] };
}

/** A seller's words are shown, not obeyed: no link, no mention, no formatting comes of them. */
function plainText(text: string, maxLength: number): string {
  const kept = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return kept.replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ").replaceAll(/[\\`*_~|<>@#[\]():/-]/gu, String.raw`\$&`);
}
