import { Button } from "@mantine/core";
import { IconClipboardText } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { FiltreDraft } from "./draft.ts";

const PasteAddress = lazy(async () => ({
  default: (await import("./paste-address.tsx")).PasteAddress,
}));

/** One quiet button until somebody has an address to paste: what reads it brings the long list of brands. */
export function PasteOffer({ onRead }: { readonly onRead: (changes: Partial<FiltreDraft>) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!isOpen) {
    return (
      <Button
        className="filtre-form__paste"
        variant="subtle"
        leftSection={<IconClipboardText size={18} stroke={1.7} />}
        onClick={() => setIsOpen(true)}
      >
        Coller une adresse de recherche
      </Button>
    );
  }
  return (
    <Suspense>
      <div className="modal-form__part">
        <PasteAddress onRead={onRead} />
      </div>
    </Suspense>
  );
}
