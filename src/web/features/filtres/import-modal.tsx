import { Button, Checkbox, Switch } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState, type SubmitEvent } from "react";
import type { FiltreImporte } from "#contract/filtres/fichier.ts";
import { call, errorText, isOutcomeUnknown } from "../../api/client.ts";
import { reloadEverything } from "../../api/queries.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { Notice } from "../../ui/notice.tsx";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { FormModal, useUnsaved } from "../../ui/windows/form-modal.tsx";
import { keepFocusInForm, ModalFormFooter } from "../../ui/windows/modal.tsx";
import { useSingleMutation } from "../../ui/windows/use-single-mutation.ts";
import { chosenAtFirst, isImportable, parseFilterFile, stateText, type FilterFile } from "./filter-file.ts";

interface ImportModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Imports filters from a file; they are compared with the user's own before any is saved. */
export function ImportModal({ isOpen, onClose }: ImportModalProps) {
  return (
    <FormModal isOpen={isOpen} title="Importer des filtres" size={620} onClose={onClose}>
      <ImportForm onDone={onClose} />
    </FormModal>
  );
}

interface ReadImport {
  readonly chosen: File;
  readonly file: FilterFile;
  readonly entries: readonly FiltreImporte[];
}

async function readChosen(chosen: File): Promise<ReadImport> {
  const parsed = parseFilterFile(await chosen.text());
  if (parsed.kind === "problem") throw new UnreadableFile(parsed.text);
  const { apercu } = await call("importFilters", { body: { fichier: parsed.file, apercu: true } });
  return { chosen, file: parsed.file, entries: apercu };
}

/** Its message is shown to the user. */
class UnreadableFile extends Error {}

function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const client = useQueryClient();
  const ask = useAsk();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [isReplacing, setIsReplacing] = useState(false);
  const reading = useMutation({
    mutationFn: readChosen,
    onMutate: () => choose(new Set()),
    onSuccess: ({ entries }) => {
      setChosen(new Set(chosenAtFirst(entries)));
      setIsReplacing(false);
    },
    onSettled: keepFocusInForm,
  });
  const read = reading.data;
  useUnsaved(read !== undefined);
  /** What was saved although its answer was lost is then identical, and not ticked for a second try. */
  const compareAgain = (file: File): Promise<unknown> =>
    Promise.allSettled([reading.mutateAsync(file), reloadEverything(client)]);
  const saving = useSingleMutation({
    mutationFn: ({ file }: ReadImport) =>
      call("importFilters", { body: { fichier: file, choix: [...chosen], remplacer: isReplacing } }),
    onSuccess: async ({ message }) => {
      await reloadEverything(client);
      showToast({ message });
      onDone();
    },
    onError: async (error, { chosen: file }) => {
      if (isOutcomeUnknown(error)) await compareAgain(file);
      keepFocusInForm();
    },
  });
  const choose = (next: ReadonlySet<number>): void => {
    setChosen(next);
    // The refusal was about another choice.
    if (saving.isError) saving.reset();
  };
  const save = async (): Promise<void> => {
    if (read === undefined || chosen.size === 0) return;
    const isTaking = read.entries.some(({ index, etat }) => chosen.has(index) && etat !== "nouveau");
    if (!isReplacing || !isTaking || (await ask(REPLACE_QUESTION))) saving.mutate(read);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save();
  };
  return (
    <form onSubmit={submit} noValidate>
      <div className="modal-form__fields stack">
        <FileChoice name={read?.chosen.name} isReading={reading.isPending} onChoose={reading.mutate} />
        <div role="status">
          {reading.isError ? <Notice tone="bad">{problemText(reading.error)}</Notice> : null}
          {read === undefined ? null : (
            <p className="import-filters__count">
              {formatCounted(read.entries.length, "filtre dans ce fichier", "filtres dans ce fichier")}
            </p>
          )}
        </div>
        {read === undefined ? null : (
          <>
            <Entries entries={read.entries} chosen={chosen} onChange={choose} />
            {read.entries.some(({ etat }) => etat === "different") ? (
              <Switch
                label="Remplacer mes filtres du même tag"
                description="Sinon, ceux du fichier sont ajoutés à côté."
                checked={isReplacing}
                onChange={(event) => setIsReplacing(event.currentTarget.checked)}
              />
            ) : null}
          </>
        )}
        <p className="aside">Les filtres importés arrivent en pause, privés et sans achat automatique.</p>
      </div>
      <ModalFormFooter
        refusal={saving.isError ? errorText(saving.error) : null}
        save={chosen.size === 0 ? "Importer" : `Importer (${chosen.size})`}
        isSaving={saving.isPending}
        isDisabled={read === undefined || chosen.size === 0}
        onCancel={onDone}
      />
    </form>
  );
}

const REPLACE_QUESTION = {
  title: "Remplacer vos filtres du même tag ?",
  text: "Leurs critères et règles actuels sont perdus, et ils passent en pause, sans achat automatique.",
  action: "Remplacer",
  keep: "Garder mes filtres",
  isDangerous: true,
};

function problemText(error: unknown): string {
  return error instanceof UnreadableFile ? error.message : errorText(error);
}

interface FileChoiceProps {
  readonly name: string | undefined;
  readonly isReading: boolean;
  readonly onChoose: (file: File) => void;
}

function FileChoice({ name, isReading, onChoose }: FileChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="import-filters__file row">
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        accept=".json,application/json"
        aria-label="Fichier de filtres"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) onChoose(file);
          // Otherwise choosing the same file again would fire no change event.
          event.currentTarget.value = "";
        }}
      />
      <Button
        data-autofocus
        leftSection={<IconFileUpload size={18} stroke={1.8} />}
        loading={isReading}
        onClick={() => input.current?.click()}
      >
        {name === undefined ? "Choisir un fichier" : "Choisir un autre fichier"}
      </Button>
      {name === undefined ? null : <span className="aside clip">{name}</span>}
    </div>
  );
}

function toneOf(entry: FiltreImporte): string {
  if (!isImportable(entry)) return "bad";
  return entry.etat === "nouveau" ? "accent" : entry.etat === "different" ? "warning" : "neutral";
}

interface EntriesProps {
  readonly entries: readonly FiltreImporte[];
  readonly chosen: ReadonlySet<number>;
  readonly onChange: (chosen: ReadonlySet<number>) => void;
}

function Entries({ entries, chosen, onChange }: EntriesProps) {
  const id = useId();
  const importable = entries.filter(isImportable);
  const areAll = importable.length > 0 && importable.every(({ index }) => chosen.has(index));
  const toggle = (index: number): void => {
    const next = new Set(chosen);
    if (!next.delete(index)) next.add(index);
    onChange(next);
  };
  return (
    <fieldset className="import-filters__entries stack" data-gap="8">
      <legend>Filtres à importer</legend>
      {importable.length < 2 ? null : (
        <Checkbox
          label={areAll ? "Tout désélectionner" : "Tout sélectionner"}
          checked={areAll}
          onChange={() => onChange(new Set(areAll ? [] : importable.map(({ index }) => index)))}
        />
      )}
      <ul className="ruled">
        {entries.map((entry) => (
          <li key={entry.index}>
            <Checkbox
              label={entry.tag === "" ? `Filtre n° ${entry.index + 1}` : entry.tag}
              aria-describedby={`${id}-${entry.index}`}
              disabled={!isImportable(entry)}
              checked={chosen.has(entry.index)}
              onChange={() => toggle(entry.index)}
            />
            <p id={`${id}-${entry.index}`} className="hint toned" data-tone={toneOf(entry)}>
              {stateText(entry)}
            </p>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
