import { categoryById, categoryPath } from "#catalogue/categories.ts";
import type { Department } from "./draw-attributes.ts";
import type { Draws } from "./draws.ts";
import { patternOf, type Kind, type Noun, type Pattern, type Shape } from "./kinds.ts";
import words from "./data/title-words.json" with { type: "json" };
import works from "./data/works.json" with { type: "json" };

/** The properties that a title can mention. */
interface TitleSubject {
  readonly leafId: number;
  readonly department: Department;
  readonly kind: Kind;
  /** "" for none. */
  readonly brandTitle: string;
  readonly sizeTitle: string;
  readonly colourIds: readonly number[];
  readonly conditionId: number;
  readonly photoSeed: number;
}

/** An adjective as [masculine, feminine], or one invariable form. The plural takes an s. */
type Adjective = string | readonly string[];

const patternWordsOf: Readonly<Record<Pattern, readonly Adjective[]>> = words.patterns;
const cutWordsOf: Partial<Readonly<Record<Shape, readonly Adjective[]>>> = words.cuts;
const colourWords: Readonly<Record<number, Adjective>> = words.colours;
const closings: Readonly<Record<number, readonly Adjective[]>> = words.closings;

const MAX_LENGTH = 70;

/** Generates a title as sellers write it. */
export function drawTitle(subject: TitleSubject, draws: Draws): string {
  const work = workTitle(subject, draws);
  const text = work ?? itemTitle(subject, draws);
  return styled(text.replaceAll(/\s+/g, " ").slice(0, MAX_LENGTH).trim(), draws, work !== null);
}

function itemTitle(subject: TitleSubject, draws: Draws): string {
  const single = draws.pick(subject.kind.nouns);
  const named = nameOf(single, subject, draws);
  const noun = { ...single, isPlural: single.isPlural || named.startsWith("lot ") };
  const details = detailsOf(noun, subject, draws);
  const brand = subject.brandTitle !== "" && draws.chance(0.74) ? brandWord(subject.brandTitle, draws) : "";
  const size = draws.chance(0.42) ? sizeWord(subject, draws) : "";
  const recipient = subject.department.forWhom !== "" && draws.chance(0.13) ? subject.department.forWhom : "";
  const closing = draws.chance(0.09) ? agree(draws.pick(closingsFor(subject.conditionId)), noun) : "";
  const gap = draws.chance(0.07) ? " - " : " ";
  const middle = draws.chance(0.6) ? [details, brand] : [brand, details];
  const parts = draws.chance(0.06) && brand !== "" ? [brand, named, details] : [named, ...middle];
  return [[...parts, recipient].filter(isSaid).join(" "), size, closing].filter(isSaid).join(gap);
}

function isSaid(part: string): boolean {
  return part !== "";
}

function nameOf(noun: Noun, { department }: TitleSubject, draws: Draws): string {
  const { text } = noun;
  if (text.startsWith("lot ") || noun.isPlural) return text;
  if (department.isClothing && draws.chance(0.03)) return `lot ${draws.whole(2, 6)} ${pluralOf(text)}`;
  return draws.chance(0.08) ? `${agree(draws.pick(words.openers), noun)} ${text}` : text;
}

/** Simplified: only the first word takes the plural s. */
function pluralOf(text: string): string {
  const [first = "", ...rest] = text.split(" ");
  return [/[sxz]$/.test(first) ? first : `${first}s`, ...rest].join(" ");
}

function detailsOf(noun: Noun, subject: TitleSubject, draws: Draws): string {
  const { department, kind, colourIds, photoSeed } = subject;
  const patternWords = patternWordsOf[patternOf(photoSeed, kind.shape)];
  const cutWords = cutWordsOf[kind.shape] ?? [];
  const said: Adjective[] = [];
  if (department.isClothing && patternWords.length > 0 && draws.chance(0.55))
    said.push(draws.pick(patternWords));
  if (cutWords.length > 0 && draws.chance(0.28)) said.push(draws.pick(cutWords));
  const [colourId] = colourIds;
  const colour = colourId === undefined ? undefined : colourWords[colourId];
  const isColourSaid = noun.text.includes("noire") || draws.chance(department.isClothing ? 0.58 : 0.8);
  if (colour !== undefined && !isColourSaid) said.push(colour);
  if (department.name === "toys" && draws.chance(0.4)) said.push(draws.pick(works.toyThemes));
  return said.map((adjective) => agree(adjective, noun)).join(" ");
}

/** Sometimes without capitals, apostrophes and accents. */
function brandWord(title: string, draws: Draws): string {
  if (!draws.chance(0.3)) return title;
  return withoutAccents(title.toLowerCase()).replaceAll(/['’´]/g, "");
}

const SIZE_PREFIXES = ["taille ", "T.", "T", "taille ", "t."] as const;

function sizeWord({ sizeTitle, department }: TitleSubject, draws: Draws): string {
  const parts = sizeTitle.split(/[/|]/).map((part) => part.trim());
  const [first = "", second] = parts;
  if (first === "" || first === "Autre" || first.length > 10) return "";
  if (/ans?$|mois$|cm$/.test(first)) return draws.chance(0.3) ? `taille ${first}` : first;
  if (first.startsWith("W")) return draws.chance(0.5) ? first : `${first} L${draws.pick([30, 32, 34])}`;
  const isShoe =
    department.name === "shoes" || department.name === "menShoes" || department.name === "kidsShoes";
  if (isShoe) return draws.pick([`pointure ${first}`, `taille ${first}`, first, `p${first}`]);
  if (first === "Taille unique") return draws.chance(0.5) ? "taille unique" : "TU";
  const spoken = second !== undefined && /^\d+$/.test(second) && draws.chance(0.5) ? second : first;
  return draws.chance(0.25) ? spoken : `${draws.pick(SIZE_PREFIXES)}${spoken}`;
}

/** Varies capitals and accents, and adds an emoji now and then. */
function styled(text: string, draws: Draws, isName: boolean): string {
  const plain = draws.chance(0.1) ? withoutAccents(text) : text;
  const emoji = draws.chance(0.018) ? ` ${draws.pick(words.emojis)}` : "";
  const way = draws.next();
  if (!isName && way < 0.28) return `${plain.charAt(0).toLowerCase()}${plain.slice(1)}${emoji}`;
  if (way > 0.96) return `${plain.toUpperCase()}${emoji}`;
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${emoji}`;
}

function withoutAccents(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** The name of a book, game, record or film; null for other items. */
function workTitle(subject: TitleSubject, draws: Draws): string | null {
  const { department, kind, leafId } = subject;
  if (department.name === "books") return draws.pick(booksOf(leafId));
  if (kind.shape === "boardGame") return `${draws.chance(0.25) ? "Jeu " : ""}${draws.pick(works.boardGames)}`;
  if (kind.shape === "puzzle") return draws.pick(works.puzzles);
  if (kind.shape === "disc") return `${draws.pick(kind.nouns).text} ${draws.pick(works.records)}`;
  if (kind.shape === "gameCase" && department.name === "media")
    return `${draws.pick(kind.nouns).text} ${draws.pick(works.films)}`;
  if (department.name !== "videoGames") return null;
  const machine = machineOf(leafId);
  if (kind.shape === "console") return `${draws.pick(kind.nouns).text} ${machine}`;
  const games = /switch|wii|3ds|game boy|nintendo/i.test(machine) ? works.nintendoGames : works.videoGames;
  return `${draws.chance(0.2) ? "jeu " : ""}${draws.pick(games)} ${machine}`;
}

const MACHINES: readonly (readonly [RegExp, string])[] = [
  [/playstation 5/i, "PS5"],
  [/playstation 4/i, "PS4"],
  [/playstation/i, "PS3"],
  [/xbox series/i, "Xbox Series"],
  [/xbox one/i, "Xbox One"],
  [/xbox/i, "Xbox 360"],
  [/switch/i, "Switch"],
  [/wii/i, "Wii"],
  [/3ds/i, "3DS"],
  [/game boy/i, "Game Boy"],
  [/nintendo/i, "Nintendo DS"],
  [/sega/i, "Sega"],
  [/virtuelle/i, "VR"],
];

function machineOf(leafId: number): string {
  const labels = categoryPath(leafId)
    .map(({ label }) => label)
    .join(" ");
  return MACHINES.find(([pattern]) => pattern.test(labels))?.[1] ?? "PC";
}

const PRACTICAL_BRANCH = 2320;

function booksOf(leafId: number): readonly string[] {
  const label = categoryById(leafId)?.label ?? "";
  if (/bandes dessinées|humour/i.test(label)) return works.comics;
  if (/policiers/i.test(label)) return works.thrillers;
  if (/science-fiction|jeunes adultes/i.test(label)) return works.fantasy;
  if (/enfants|bébés/i.test(label)) return works.childrensBooks;
  return categoryPath(leafId).some(({ id }) => id === PRACTICAL_BRANCH) ? works.practicalBooks : works.novels;
}

/** Phrases about the condition at the end of a title. */
function closingsFor(conditionId: number): readonly Adjective[] {
  return closings[conditionId] ?? words.closingsOfWorn;
}

const WORDS_WITHOUT_PLURAL_S = /[sx]$/;

/** The form of the adjective that agrees with the noun. */
function agree(
  adjective: Adjective,
  noun: { readonly gender: "m" | "f"; readonly isPlural: boolean },
): string {
  if (typeof adjective === "string") return adjective;
  const form = adjective[noun.gender === "f" ? 1 : 0] ?? "";
  if (!noun.isPlural || WORDS_WITHOUT_PLURAL_S.test(form) || form.includes(" ")) return form;
  return `${form}s`;
}
