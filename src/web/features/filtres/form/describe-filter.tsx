import { Button, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import {
  useEffect,
  useId,
  useRef,
  useState,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
} from "react";
import type { Phrase } from "#contract/filtres/phrase.ts";
import { call, errorText } from "../../../api/client.ts";
import { Notice } from "../../../ui/notice.tsx";
import { keepFocus } from "../../../ui/windows/keep-focus.ts";
import type { FiltreDraft } from "./draft.ts";
import type { ReadAddress } from "./search-address.ts";
import { changesOf, sentenceProblem, withTitleWord } from "./sentence.ts";

const NO_ADDRESS_TEXT = "Ce n'est pas l'adresse d'une recherche : copiez-la depuis la barre du navigateur.";
const UNREAD_TEXT = "Appuyez sur Remplir, ou effacez cette phrase.";

interface DescribeFilterProps {
  readonly draft: FiltreDraft;
  /** It takes the initial focus of the form. */
  readonly isFirst: boolean;
  /** The form could not be saved, because its sentence was not read. */
  readonly isRefused: boolean;
  /** Sets the text that was not read; empty for none. */
  readonly onUnread: Dispatch<SetStateAction<string>>;
  readonly onChange: (changes: Partial<FiltreDraft>) => void;
}

type ReadText =
  | { readonly kind: "sentence"; readonly sentence: string; readonly phrase: Phrase }
  | { readonly kind: "address"; readonly address: ReadAddress }
  | { readonly kind: "no_address" };

/** Fills the form from a sentence, or from a marketplace search address, which is parsed locally. */
export function DescribeFilter({ draft, isFirst, isRefused, onUnread, onChange }: DescribeFilterProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [read, setRead] = useState<ReadText | null>(null);
  // Keeps edits made while the request is in flight.
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  }, [draft]);
  const reading = useMutation({
    mutationFn: readText,
    onError: (error) => setProblem(errorText(error)),
    onSettled: keepFocusHere,
  });
  const take = (given: string): void => {
    if (given.trim() === "") return;
    const refused = isAddress(given) ? undefined : sentenceProblem(given);
    setProblem(refused);
    if (refused !== undefined) return;
    // With several calls in flight, only the last one's callback runs.
    reading.mutate(given, {
      onSuccess: (answer) => {
        setRead(answer.kind === "no_address" ? null : answer);
        if (answer.kind === "no_address") setProblem(NO_ADDRESS_TEXT);
        // What was typed while it was read is still unread.
        else onUnread((unread) => (unread === given.trim() ? "" : unread));
        if (answer.kind === "address") onChange(answer.address.changes);
        if (answer.kind === "sentence") onChange(changesOf(answer.phrase, answer.sentence, latest.current));
      },
    });
  };
  return (
    <section className="describe-filter modal-form__part">
      <div className="describe-filter__line row">
        <TextInput
          label="Décrivez ce que vous cherchez"
          placeholder="robe Zara noire taille M moins de 20 €"
          description="Une phrase, ou l'adresse d'une recherche Vinted"
          enterKeyHint="go"
          data-autofocus={isFirst || undefined}
          value={text}
          error={problem ?? (isRefused ? UNREAD_TEXT : undefined)}
          onChange={(event) => {
            const written = event.currentTarget.value;
            setText(written);
            onUnread(written.trim());
            setProblem(undefined);
            // A pasted address is read immediately; a sentence waits for the button.
            if (text === "" && isPaste(event.nativeEvent) && isAddress(written)) take(written);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            // Enter fills the form; it does not save it.
            event.preventDefault();
            take(text);
          }}
        />
        <Button disabled={text.trim() === ""} loading={reading.isPending} onClick={() => take(text)}>
          Remplir
        </Button>
      </div>
      <div role="status">
        {read?.kind === "address" ? <AddressOutcome read={read.address} /> : null}
        {read?.kind === "sentence" ? (
          <SentenceOutcome key={read.sentence} phrase={read.phrase} draft={draft} onChange={onChange} />
        ) : null}
      </div>
    </section>
  );
}

function keepFocusHere(): void {
  keepFocus(() => document.querySelector<HTMLElement>(".describe-filter input"));
}

function isPaste(event: Event): boolean {
  return event instanceof InputEvent && event.inputType === "insertFromPaste";
}

function isAddress(text: string): boolean {
  return /^\s*https?:\/\//iu.test(text);
}

async function readText(text: string): Promise<ReadText> {
  if (!isAddress(text)) {
    const sentence = text.trim();
    return { kind: "sentence", sentence, phrase: await call("readSentence", { body: { texte: sentence } }) };
  }
  const [{ readSearchAddress }, { brandById }] = await Promise.all([
    import("./search-address.ts"),
    import("#catalogue/brand-titles.ts"),
  ]);
  const address = readSearchAddress(text, (id) => brandById(id) !== undefined);
  return address === null ? { kind: "no_address" } : { kind: "address", address };
}

interface SentenceOutcomeProps {
  readonly phrase: Phrase;
  readonly draft: FiltreDraft;
  readonly onChange: (changes: Partial<FiltreDraft>) => void;
}

/** The parts that were understood, and those that were not, which can be added as title words. */
function SentenceOutcome({ phrase, draft, onChange }: SentenceOutcomeProps) {
  const [searched, setSearched] = useState<readonly string[]>([]);
  const read = [...new Set(phrase.compris.map(({ texte }) => texte)), ...searched];
  const unread = [...new Set(phrase.reste)].filter((part) => !searched.includes(part));
  return (
    <div className="describe-filter__outcome stack" data-gap="8">
      <Parts title="Compris" parts={read}>
        {(part) => <span className="chip line describe-filter__read">{part}</span>}
      </Parts>
      <Parts title="Non compris" parts={unread}>
        {(part) => (
          <button
            type="button"
            className="chip row describe-filter__unread"
            onClick={() => {
              setSearched([...searched, part]);
              onChange({ wordsText: withTitleWord(draft.wordsText, part) });
              keepFocusHere();
            }}
          >
            {part}
            <span className="line" data-gap="4">
              <IconPlus size={14} stroke={2.2} aria-hidden="true" />
              chercher dans le titre
            </span>
          </button>
        )}
      </Parts>
    </div>
  );
}

interface PartsProps {
  readonly title: string;
  readonly parts: readonly string[];
  readonly children: (part: string) => ReactNode;
}

function Parts({ title, parts, children }: PartsProps) {
  const id = useId();
  if (parts.length === 0) return null;
  return (
    <div className="describe-filter__parts row">
      <p id={id} className="aside">
        {title}
      </p>
      <ul className="row" data-gap="6" aria-labelledby={id}>
        {parts.map((part) => (
          <li key={part}>{children(part)}</li>
        ))}
      </ul>
    </div>
  );
}

function AddressOutcome({ read: { changes, leftOut } }: { readonly read: ReadAddress }) {
  const isFilled = Object.keys(changes).length > 0;
  return (
    <Notice tone={leftOut.length > 0 ? "warning" : "neutral"}>
      {isFilled ? "Le formulaire est rempli." : "Rien de cette adresse n'a pu être repris."}
      {leftOut.length === 0 ? null : (
        <>
          {" Laissé de côté\u00a0:"}
          <ul className="describe-filter__left">
            {leftOut.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  );
}
