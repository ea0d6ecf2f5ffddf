/** Purchases as CSV in the format that French spreadsheets open without an import dialog. Pure. */
import type { Achat } from "#contract/achat.ts";
import { ACHAT_CONFIRME } from "#contract/bounds.ts";
import { formatPurchaseDate } from "../../ui/format-panel.ts";
import { sourceText, statusOf } from "./achat-status.ts";

const BYTE_ORDER_MARK = "\uFEFF";
const LINE_END = "\r\n";

const HEADERS = [
  "Date",
  "Statut",
  "Origine",
  "Article",
  "Marque",
  "Taille",
  "État",
  "Vendeur",
  "Prix hors livraison",
  "Total payé",
  "Devise",
  "Transaction",
  "Raison",
  "Filtre",
  "Lien",
] as const;

/**
 * A header line and one line per purchase, in the given order; semicolons, decimal commas and a UTF-8 BOM.
 * @param tags of the filters that still exist, by id; null: they could not all be read
 */
export function purchasesCsv(purchases: readonly Achat[], tags: ReadonlyMap<string, string> | null): string {
  const lines = [HEADERS, ...purchases.map((purchase) => cellsOf(purchase, tags))].map((cells) =>
    cells.map(cellText).join(";"),
  );
  return BYTE_ORDER_MARK + lines.map((line) => line + LINE_END).join("");
}

function cellsOf(purchase: Achat, tags: ReadonlyMap<string, string> | null): readonly string[] {
  const { product, total, filtre, simulation } = purchase;
  const isPaid = purchase.status === ACHAT_CONFIRME && simulation !== true;
  return [
    formatPurchaseDate(purchase.purchase_date),
    statusOf(purchase.status).label,
    sourceText(purchase),
    product.title,
    product.brand_title,
    product.size_title,
    product.status,
    product.user.login,
    amountText(product.total_item_price.amount),
    isPaid && total !== null ? amountText(total.amount) : "",
    (total ?? product.total_item_price).currency_code,
    purchase.id_transaction === null ? "" : String(purchase.id_transaction),
    purchase.raison ?? "",
    filtre === null || tags === null ? "" : (tags.get(filtre) ?? "Filtre supprimé"),
    product.url,
  ];
}

/** "12,50" for "12.50"; anything else unchanged. */
function amountText(amount: string): string {
  return /^-?\d+(\.\d+)?$/u.test(amount) ? amount.replace(".", ",") : amount;
}

/**
 * Escapes a cell against formula injection, since sellers write the titles, and quotes it if it contains
 * delimiters.
 */
function cellText(text: string): string {
  const isNumber = /^-?\d+(,\d+)?$/u.test(text);
  const harmless = !isNumber && /^[\s\p{Cc}]*[=+\-@]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
  return /[";\r\n']/u.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}
