/** The contract's entities with plain values, for tests. */
import type { Achat } from "#contract/achat.ts";
import { type Filtre, newFiltre } from "#contract/filtres/filtre.ts";
import type { Produit, ProduitDuFlux } from "#contract/produit.ts";
import type { Rejeu } from "#contract/filtres/rejeu.ts";

export function eur(amount: number | string) {
  return { amount: Number(amount).toFixed(2), currency_code: "EUR" };
}

export function aProduit(traits: Partial<Produit> = {}): Produit {
  return {
    id: 1,
    title: "Robe",
    photo: null,
    brand_title: "Zara",
    total_item_price: eur("10.50"),
    size_title: "M",
    status: "Bon état",
    path: "/items/1",
    url: "https://market.example/items/1",
    user: { id: 7, login: "lea", photo: null },
    ...traits,
  };
}

/** One in the stream of the filter "f1", seen later the higher its id. */
export function anItem(id: number, amount = "10.00"): ProduitDuFlux {
  return { ...aProduit({ id, total_item_price: eur(amount) }), filtres: ["f1"], vu_a: id, prix: null };
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

/** An active filter with automatic purchases, of which no choice is the usual one. */
export function aFullFiltre(traits: Partial<Filtre> = {}): Filtre {
  return {
    _id: "f1",
    tag: "Vestes Nike",
    active: true,
    autobuy: true,
    private: true,
    types: { ids: [1037], names: ["Manteaux et vestes"] },
    brands: { ids: [53], names: ["Nike"] },
    sizes: { ids: [4], names: ["M / 38 / 10"] },
    status: { ids: [6, 2], names: ["Neuf avec étiquette", "Très bon état"] },
    color: "Gray",
    limit: 45,
    limit_min: 15,
    bon_prix: null,
    paiement: 11,
    info: "cadeau",
    mots: ["vintage | retro", "made in italy"],
    exclure: ["lot"],
    max_achats: 3,
    simulation: true,
    vendeur: { note_min: 4.5, avis_min: 10, pays: ["FR", "BE"], inconnu: "laisser_passer" },
    ignorer_republications: true,
    regles: { ...newFiltre.regles, budget_jour: 60 },
    groupe: null,
    arret: null,
    alerte: "silencieux",
    alerte_max: 3,
    ...traits,
  };
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
