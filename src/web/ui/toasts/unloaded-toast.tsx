/** A toast while the chunk of the toasts cannot be loaded, such as offline. */
import { Button } from "@mantine/core";
import { useObservable } from "../../api/live/observable.ts";
import { Notice } from "../notice.tsx";
import { LibraryProvider } from "../theme/theme.tsx";
import { keepFocusInPage } from "../windows/keep-focus.ts";
import { closeUnloadedToast, unloadedToast } from "./show-toast.ts";

export function UnloadedToast() {
  const toast = useObservable(unloadedToast);
  if (toast === null) return null;
  const close = (): void => {
    closeUnloadedToast();
    keepFocusInPage();
  };
  return (
    <LibraryProvider>
      <div className="floating-notice" data-toast role="alert">
        <Notice
          tone={toast.tone === "bad" ? "bad" : "neutral"}
          action={
            <Button variant="subtle" onClick={close}>
              Fermer
            </Button>
          }
        >
          <div>{toast.title}</div>
          {toast.message}
        </Notice>
      </div>
    </LibraryProvider>
  );
}
