/** The contract's entities with plain values, for tests. */
import type { Achat } from "#contract/achat.ts";
import { type Filtre, newFiltre } from "#contract/filtres/filtre.ts";
import type { Produit } from "#contract/produit.ts";
import type { Rejeu } from "#contract/filtres/rejeu.ts";

export function aProduit(traits: Partial<Produit> = {}): Produit {
  return {
    id: 1,
    title: "Robe",
    photo: null,
    brand_title: "Zara",
    total_item_price: { amount: "10.50", currency_code: "EUR" },
    size_title: "M",
    status: "Bon état",
    path: "/items/1",
    url: "https://market.example/items/1",
    user: { id: 7, login: "lea", photo: null },
    ...traits,
  };
}

/** A purchase by click, confirmed. */
export function anAchat(traits: Partial<Achat> = {}): Achat {
  return {
    _id: "p1",
    id_transaction: 7,
    status: 1,
    purchase_date: 100,
    purchase_confirmation: null,
    product: aProduit(),
    source: "clic",
    filtre: null,
    total: null,
    raison: null,
    ...traits,
  };
}

/** An active filter for articles up to 100 EUR, without automatic purchases. */
export function aFiltre(traits: Partial<Filtre> = {}): Filtre {
  return { ...newFiltre, _id: "f1", tag: "Vestes", limit: 100, ...traits };
}

/** A completed backtest over November without matches or purchases. */
export function aRejeu(traits: Partial<Rejeu> = {}): Rejeu {
  return {
    periode: { du: "2026-11-01", au: "2026-11-30", jours: 30 },
    couverture: {
      depuis: Date.parse("2026-11-01T00:00:00Z"),
      jours: 30,
      exemple: false,
      exemple_jusqu_au: null,
    },
    examines: 300,
    articles: 0,
    republications: 0,
    incertains: 0,
    achats: null,
    pertes: [],
    jours: [],
    exemples: { moins_chers: [], plus_chers: [] },
    conditions: [],
    limite: { moins_chere: null, paliers: [] },
    ids: [],
    achetes: [],
    tronque: false,
    duree_ms: 12,
    ...traits,
  };
}
