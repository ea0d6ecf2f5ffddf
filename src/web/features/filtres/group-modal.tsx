/** A group of filters that buy together: a number of articles among all of them, within a budget. */
import { Checkbox, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { MAX_BUDGET_EUR, MAX_GROUP_FILTERS, MAX_GROUP_PURCHASES, MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Groupe } from "#contract/filtres/regles.ts";
import { call } from "../../api/client.ts";
import { queries, reloadEverything } from "../../api/queries.ts";
import { isChanged } from "../../ui/changed-parts.ts";
import { formatCount } from "../../ui/format.ts";
import { formatCounted, plural, wholeEurosIn } from "../../ui/format-panel.ts";
import { textField, Unit } from "../../ui/windows/text-field.tsx";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { FormModal, useUnsaved } from "../../ui/windows/form-modal.tsx";
import { ModalFormFooter } from "../../ui/windows/modal.tsx";
import { useDraftForm } from "../../ui/windows/use-draft-form.ts";
import { useSingleMutation } from "../../ui/windows/use-single-mutation.ts";
import { withChanges } from "./form/draft.ts";
import { useCreateOnce } from "./use-create-once.ts";

interface GroupModalProps {
  readonly isOpen: boolean;
  /** Null for a new group. */
  readonly edited: Groupe | null;
  /** The filters of a new group. */
  readonly selectedIds: readonly string[];
  readonly filters: readonly Filtre[];
  readonly onClose: () => void;
}

export function GroupModal(props: GroupModalProps) {
  const { isOpen, edited, selectedIds, onClose } = props;
  const title =
    edited === null
      ? `Grouper ${formatCounted(selectedIds.length, "filtre", "filtres")}`
      : "Modifier le groupe";
  return (
    <FormModal isOpen={isOpen} title={title} size={520} onClose={onClose} subject={edited?._id ?? "new"}>
      <GroupForm {...props} />
    </FormModal>
  );
}

interface GroupDraft {
  readonly name: string;
  readonly countText: string;
  readonly budgetText: string;
  readonly filterIds: readonly string[];
}

type Problems = Partial<Record<keyof GroupDraft, string>>;

function problemsOf({ countText, budgetText, filterIds }: GroupDraft): Problems {
  const count = Number(countText);
  const isCount = /^\s*\d+\s*$/u.test(countText) && count >= 1 && count <= MAX_GROUP_PURCHASES;
  const budget = wholeEurosIn(budgetText) ?? 0;
  const isBudget = budgetText.trim() === "" || (budget >= 1 && budget <= MAX_BUDGET_EUR);
  return {
    ...(isCount ? {} : { countText: `Un nombre de 1 à ${MAX_GROUP_PURCHASES}.` }),
    ...(isBudget ? {} : { budgetText: `Un montant de 1 à ${formatCount(MAX_BUDGET_EUR)} €, ou rien.` }),
    ...(filterIds.length === 0 ? { filterIds: "Choisissez au moins un filtre." } : {}),
    ...(filterIds.length > MAX_GROUP_FILTERS ? { filterIds: `${MAX_GROUP_FILTERS} filtres au plus.` } : {}),
  };
}

function draftOf({ edited, selectedIds }: Pick<GroupModalProps, "edited" | "selectedIds">): GroupDraft {
  if (edited === null) return { name: "", countText: "1", budgetText: "", filterIds: selectedIds };
  const { nom, achats, budget, filtres } = edited;
  const budgetText = budget === null ? "" : String(budget);
  return { name: nom, countText: String(achats), budgetText, filterIds: filtres };
}

function GroupForm({ edited, selectedIds, filters, onClose }: GroupModalProps) {
  const [opened] = useState(() => draftOf({ edited, selectedIds }));
  const [typed, setDraft] = useState(opened);
  // A filter deleted elsewhere is not in the list, so it could not be unchecked.
  const filterIds = typed.filterIds.filter((id) => filters.some(({ _id }) => _id === id));
  const draft: GroupDraft = { ...typed, filterIds };
  useUnsaved(isChanged(typed, opened));
  const save = useSaveGroup(edited, onClose);
  const { shown, refusal, set, submit } = useDraftForm({
    draft,
    onChange: (changes) => setDraft({ ...draft, ...changes }),
    problems: problemsOf(draft),
    save,
    send: () => save.mutate(draft),
  });
  const text = textField({ draft, problems: shown, onChange: set });
  return (
    <form onSubmit={submit} noValidate>
      <div className="modal-form__fields stack">
        <TextInput label="Nom" data-autofocus maxLength={MAX_TAG_LENGTH} {...text("name")} />
        <div className="pair">
          <TextInput
            label="Acheter"
            inputMode="numeric"
            rightSection={<Unit text={plural(Number(draft.countText), "article", "articles")} />}
            rightSectionWidth={68}
            {...text("countText")}
          />
          <TextInput
            label="Budget"
            inputMode="decimal"
            placeholder="Aucun"
            rightSection={<Unit text="€" />}
            {...text("budgetText")}
          />
        </div>
        <p className="hint">
          Parmi tous ces filtres, livraison comprise. Une fois le compte atteint, leur achat automatique
          s'arrête.
        </p>
        <Members
          filters={filters.filter(
            ({ _id, groupe }) =>
              groupe === (edited?._id ?? null) ||
              groupe === null ||
              (edited === null && selectedIds.includes(_id)),
          )}
          groupId={edited?._id ?? null}
          problem={shown.filterIds}
          chosen={draft.filterIds}
          onChange={(filterIds) => set({ filterIds })}
        />
      </div>
      <ModalFormFooter
        refusal={refusal}
        save={edited === null ? "Grouper" : "Enregistrer"}
        isSaving={save.isPending}
        isDisabled={draft.name.trim() === ""}
        onCancel={onClose}
      />
    </form>
  );
}

interface MembersProps {
  /** The filters that may be in the group. */
  readonly filters: readonly Filtre[];
  readonly groupId: string | null;
  readonly problem: string | undefined;
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

function Members({ filters, groupId, problem, chosen, onChange }: MembersProps) {
  const isLeaving = filters.some(
    ({ _id, groupe, autobuy }) => groupe !== null && groupe === groupId && autobuy && !chosen.includes(_id),
  );
  return (
    <fieldset>
      <legend>Filtres</legend>
      <div className="group-form__list">
        {filters.map(({ _id, tag }) => (
          <Checkbox
            key={_id}
            label={tag}
            checked={chosen.includes(_id)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, _id] : chosen.filter((id) => id !== _id))
            }
          />
        ))}
      </div>
      {problem === undefined ? null : (
        <p className="hint toned" data-tone="bad" role="alert">
          {problem}
        </p>
      )}
      {isLeaving ? (
        <p className="hint">L'achat automatique des filtres qui quittent le groupe est coupé.</p>
      ) : null}
    </fieldset>
  );
}

type GroupBody = Pick<Groupe, "nom" | "achats" | "budget" | "filtres">;

function bodyOf({ name, countText, budgetText, filterIds }: GroupDraft): GroupBody {
  return {
    nom: name.trim(),
    achats: Number(countText),
    budget: wholeEurosIn(budgetText),
    filtres: [...filterIds],
  };
}

/** The server keeps the filters in its own order. */
function withSortedIds(group: GroupBody): GroupBody {
  return { ...group, filtres: group.filtres.toSorted() };
}

/** The changes since the form was opened, over the group's latest state; its filters one by one. */
function merged(latest: GroupBody, opened: GroupBody, body: GroupBody): GroupBody {
  const added = body.filtres.filter((id) => !opened.filtres.includes(id));
  const kept = latest.filtres.filter((id) => body.filtres.includes(id) || !opened.filtres.includes(id));
  return { ...withChanges(latest, opened, body), filtres: [...new Set([...kept, ...added])] };
}

function useSaveGroup(edited: Groupe | null, onSaved: () => void) {
  const client = useQueryClient();
  const read = async () => await client.fetchQuery({ ...queries.groups, staleTime: 0 });
  const createOnce = useCreateOnce({
    known: () => client.getQueryData(queries.groups.queryKey),
    read,
    isSame: (group: Groupe, sent: GroupBody) => !isChanged(withSortedIds(sent), withSortedIds(group)),
  });
  return useSingleMutation({
    mutationFn: async (draft: GroupDraft) => {
      const body = bodyOf(draft);
      if (edited === null)
        return await createOnce(body, {
          add: async () => await call("addGroup", { body }),
          edit: async ({ _id }) => await call("editGroup", { body: { ...body, _id } }),
        });
      const { _id } = edited;
      // Another page may have saved it since; a deleted group is sent, so that the refusal explains itself.
      const groups = await read();
      const { nom, achats, budget, filtres } = groups.find((group) => group._id === _id) ?? edited;
      const latest = { nom, achats, budget, filtres };
      return await call("editGroup", { body: { ...merged(latest, edited, body), _id } });
    },
    onSuccess: async ({ message }) => {
      await reloadEverything(client);
      showToast({ message });
      onSaved();
    },
    // A filter may have been deleted or grouped elsewhere.
    onError: () => void reloadEverything(client),
  });
}
