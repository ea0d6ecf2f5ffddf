/** Import and export of filter files in the browser. */
import { FICHIER_FORMAT, FICHIER_VERSION, MAX_FILE_BYTES, MAX_FILE_FILTERS } from "#contract/bounds.ts";
import type { Body } from "#contract/calls.ts";
import type { FiltreImporte } from "#contract/filtres/fichier.ts";
import { FIELD_NAMES } from "#contract/filtres/filtre-input.ts";
import { call } from "../../api/client.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { saveFile } from "../../ui/save-file.ts";

export type FilterFile = Body<"importFilters">["fichier"];

export type ParsedFile =
  | { readonly kind: "file"; readonly file: FilterFile }
  /** In French. */
  | { readonly kind: "problem"; readonly text: string };

const problem = (text: string): ParsedFile => ({ kind: "problem", text });

/** Parses a file and checks its envelope; the server validates each filter separately. */
export function parseFilterFile(text: string): ParsedFile {
  if (new TextEncoder().encode(text).byteLength > MAX_FILE_BYTES)
    return problem("Le fichier est trop volumineux (512 Ko au plus).");
  const value = parsed(text);
  if (!isRecord(value) || value["format"] !== FICHIER_FORMAT)
    return problem("Ce fichier n'est pas un export de filtres Synapse.");
  if (value["version"] !== FICHIER_VERSION)
    return problem("Ce fichier vient d'une autre version de Synapse : exportez-le de nouveau.");
  const { filtres, ...rest } = value;
  if (!Array.isArray(filtres) || !filtres.every(isRecord))
    return problem("Ce fichier n'est pas un export de filtres Synapse.");
  if (filtres.length === 0) return problem("Ce fichier ne contient aucun filtre.");
  if (filtres.length > MAX_FILE_FILTERS)
    return problem(`Un fichier contient ${MAX_FILE_FILTERS} filtres au plus.`);
  return { kind: "file", file: { ...rest, format: FICHIER_FORMAT, version: FICHIER_VERSION, filtres } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The initial selection: importable filters that are not identical to one of the user's. */
export function chosenAtFirst(entries: readonly FiltreImporte[]): readonly number[] {
  return entries.filter(isImportable).flatMap(({ index, etat }) => (etat === "identique" ? [] : [index]));
}

export function isImportable({ error }: FiltreImporte): boolean {
  return error === undefined;
}

const names: ReadonlyMap<string, string> = new Map(Object.entries(FIELD_NAMES));

/** "Différent du vôtre : limite de prix, tailles". */
export function stateText({ etat, differences, error }: FiltreImporte): string {
  if (error !== undefined) return error;
  if (etat === "nouveau") return "Nouveau";
  if (etat === "identique") return "Identique au vôtre";
  const labels = differences.map((field) => names.get(field) ?? field);
  return `Différent du vôtre : ${labels.join(", ")}`;
}

/** Saves filters as a file. @param ids absent: all @returns the message to show, in French */
export async function exportFilters(ids?: readonly string[]): Promise<string> {
  const query = ids === undefined ? {} : { query: { ids: ids.join() } };
  const { fichier } = await call("exportFilters", query);
  const name = ids === undefined ? "synapse-filtres.json" : "synapse-filtres-choisis.json";
  saveFile(name, JSON.stringify(fichier, null, 2), "application/json");
  const count = Array.isArray(fichier["filtres"]) ? fichier["filtres"].length : 0;
  return `${formatCounted(count, "filtre enregistré", "filtres enregistrés")} dans ${name}.`;
}
