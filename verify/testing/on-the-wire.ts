/** The contract's entities with plain values, for tests of what reads them. */
import type { Achat } from "#contract/achat.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Produit } from "#contract/produit.ts";

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

/** A confirmed click. */
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

/** An active filter that takes everything up to 100 EUR and buys nothing by itself. */
export function aFiltre(traits: Partial<Filtre> = {}): Filtre {
  const all = { ids: [], names: [] };
  return {
    _id: "f1",
    tag: "Vestes",
    active: true,
    autobuy: false,
    private: false,
    types: all,
    brands: all,
    sizes: all,
    status: all,
    color: "",
    limit: 100,
    limit_min: 0,
    bon_prix: null,
    paiement: 1,
    info: "",
    mots: [],
    exclure: [],
    max_achats: null,
    simulation: false,
    vendeur: { note_min: null, avis_min: null, pays: [], inconnu: "retenir" },
    ignorer_republications: false,
    regles: {
      budget_jour: null,
      budget_total: null,
      heures: null,
      jours: [],
      pause: null,
      vendeur_jour: null,
      echecs: null,
    },
    groupe: null,
    arret: null,
    alerte: "sonore",
    alerte_max: 6,
    ...traits,
  };
}
