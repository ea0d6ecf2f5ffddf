import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { call, errorText, isOutcomeUnknown } from "../../../api/client.ts";
import { changeFiltre, keepFiltre, latestFiltre } from "../../../api/commands.ts";
import { logSuccess } from "../../../api/log.ts";
import { queries, reloadEverything } from "../../../api/queries.ts";
import { useSession } from "../../../api/session.ts";
import { Notice } from "../../../ui/notice.tsx";
import { hideToast, showToast } from "../../../ui/toasts/show-toast.ts";
import { keepFocusInPage } from "../../../ui/windows/keep-focus.ts";
import { isChanged } from "../../../ui/changed-parts.ts";
import { FormModal, useUnsaved } from "../../../ui/windows/form-modal.tsx";
import { ModalFormFooter } from "../../../ui/windows/modal.tsx";
import { useDraftForm } from "../../../ui/windows/use-draft-form.ts";
import { useSingleMutation } from "../../../ui/windows/use-single-mutation.ts";
import { AdvancedOptions } from "./advanced-options.tsx";
import {
  bodyOf,
  draftOf,
  emptyDraft,
  fieldOfWire,
  isSavedAs,
  problemsOf,
  withChanges,
  withNames,
  type FiltreDraft,
  type PickerName,
} from "./draft.ts";
import { DescribeFilter } from "./describe-filter.tsx";
import { useDraftReplay } from "../replay/replay-line.tsx";
import { useCreateOnce } from "../use-create-once.ts";
import { FilterPreview, isWorthReplaying } from "./filter-preview.tsx";
import { Buying, Criteria, Naming } from "./filtre-fields.tsx";
import "./filtre-form.css";

interface FiltreFormModalProps {
  readonly isOpen: boolean;
  /** Null for a new filter. */
  readonly edited: Filtre | null;
  /** The initial values of a new filter; null: the defaults. */
  readonly template: FiltreDraft | null;
  /** Shown above the fields. */
  readonly remark: string | null;
  readonly onClose: () => void;
}

export function FiltreFormModal({ isOpen, edited, template, remark, onClose }: FiltreFormModalProps) {
  const { user } = useSession();
  if (user === null) return null;
  const title = edited === null ? "Créer un nouveau filtre" : "Modifier le filtre";
  const subject = edited?._id ?? JSON.stringify(template);
  return (
    <FormModal isOpen={isOpen} title={title} size={720} onClose={onClose} subject={subject}>
      <FiltreForm {...{ user, edited, template, remark }} onDone={onClose} />
    </FormModal>
  );
}

interface FiltreFormProps {
  readonly user: Utilisateur;
  readonly edited: Filtre | null;
  readonly template: FiltreDraft | null;
  readonly remark: string | null;
  readonly onDone: () => void;
}

function FiltreForm({ user, edited, template, remark, onDone }: FiltreFormProps) {
  const [opened] = useState(() => (edited === null ? (template ?? emptyDraft) : draftOf(edited)));
  const [draft, setDraft] = useState(opened);
  const [openPicker, onOpenPicker] = useState<PickerName | null>(null);
  /** The sentence that is typed but not read, or not yet; it would be lost. */
  const [unread, onUnread] = useState("");
  useUnsaved(isChanged(draft, opened) || unread !== "");
  const save = useSave(edited, onDone);
  const { wasTried, shown, refusal, set, submit } = useDraftForm({
    draft,
    onChange: (changes) => setDraft((known) => ({ ...known, ...changes })),
    problems: problemsOf(draft),
    isHeldBack: unread !== "",
    save,
    send: () => save.mutate(draft),
    fieldOf: fieldOfWire,
  });
  const replay = useDraftReplay(draft, edited?.groupe ?? null, isWorthReplaying);
  const part = { draft, problems: shown, onChange: set, openPicker, onOpenPicker };

  return (
    <form className="filtre-form" onSubmit={submit} noValidate aria-busy={save.isPending}>
      <div className="modal-form__fields">
        {remark === null ? null : <Notice tone="neutral">{remark}</Notice>}
        <DescribeFilter
          draft={draft}
          isFirst={edited === null && template === null}
          isRefused={wasTried && unread !== ""}
          onUnread={onUnread}
          onChange={set}
        />
        <Naming {...part} />
        <Criteria {...part} edited={edited} replay={replay} />
        <Buying {...part} user={user} />
        <AdvancedOptions {...part} />
      </div>
      <ModalFormFooter
        refusal={refusal}
        save={edited === null ? "Créer le filtre" : "Enregistrer"}
        isSaving={save.isPending}
        isDisabled={draft.tag.trim() === ""}
        onCancel={onDone}
      >
        <FilterPreview draft={draft} replay={replay} />
      </ModalFormFooter>
    </form>
  );
}

function useSave(edited: Filtre | null, onSaved: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { history } = useRouter();
  // The filter as of when the form was opened.
  const [opened] = useState(edited);
  const createOnce = useCreateOnce({
    known: () => client.getQueryData(queries.filters.queryKey),
    read: async () => await client.fetchQuery({ ...queries.filters, staleTime: 0 }),
    isSame: isSavedAs,
  });
  return useSingleMutation({
    mutationFn: async (draft: FiltreDraft) => {
      if (opened === null) {
        const body = await withNames(bodyOf(draft));
        return await createOnce(draft, {
          add: async () => await call("addFilter", { body }),
          // Automatic buying that has ended since it was created is not switched on again.
          edit: async ({ _id }) => await call("editFilter", { body: { ...body, _id, arret: null } }),
        });
      }
      const { _id, arret } = opened;
      const latest = await latestFiltre(client, opened);
      const body = await withNames(bodyOf(withChanges(draftOf(latest), draftOf(opened), draft)));
      return await call("editFilter", { body: { ...body, _id, active: false, arret } });
    },
    onSuccess: ({ message, filtre }, { autobuy }) => {
      keepFiltre(client, filtre);
      onSaved();
      if (opened === null) {
        showToast({ message });
        // Else the form's closing is merged with the next navigation, and "back" opens an empty form.
        history.flush();
        // The stream, where the new filter's finds arrive.
        void navigate({ to: "/synapse/articles" }).then(() => keepFocusInPage());
      } else {
        logSuccess("filter edited");
        offerReactivation(client, filtre, autobuy && !filtre.autobuy ? message : null);
      }
      void reloadEverything(client);
    },
    // No toast: the form itself shows a refusal; a toast would cover its buttons.
    onError: (error) => {
      if (isOutcomeUnknown(error)) void reloadEverything(client);
    },
  });
}

/**
 * An edit pauses the filter (specification §3): a toast says so and offers to reactivate it.
 * @param cut why the server switched automatic buying off; null if it did not
 */
function offerReactivation(client: QueryClient, filtre: Filtre, cut: string | null): void {
  const id = `filtre-en-pause-${filtre._id}`;
  const reactivate = async (): Promise<void> => {
    try {
      await changeFiltre(client, filtre, { active: true });
      hideToast(id);
    } catch (error) {
      showToast({ id, message: errorText(error), tone: "bad" });
    }
  };
  showToast({
    id,
    tone: "neutral",
    message: (
      <>
        <p>Filtre en pause : réactivez-le</p>
        {cut === null ? null : <p>{cut}</p>}
        <button type="button" className="toast__link" onClick={() => void reactivate()}>
          Réactiver
        </button>
      </>
    ),
  });
}
