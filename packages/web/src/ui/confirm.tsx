import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';

export interface ConfirmRequest {
  title: string;
  body: ReactNode;
  /** The verb on the button: `Delete flag`, never `OK`. */
  action: string;
  danger?: boolean;
  /** Text that the user must type first, for irreversible actions. */
  typed?: string;
}

type Ask = (request: ConfirmRequest) => Promise<boolean>;

const ConfirmContext = createContext<Ask>(() => Promise.resolve(false));

/** Asks for confirmation: `if (await confirm({…})) …`. Closing the dialog means no. */
export function useConfirm(): Ask {
  return use(ConfirmContext);
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<ConfirmRequest | null>(null);
  const [open, setOpen] = useState(false);
  const resolver = useRef<(answer: boolean) => void>(() => {});
  const ask = useCallback<Ask>((next) => {
    setRequest(next);
    setOpen(true);
    return new Promise((resolve) => {
      resolver.current = resolve;
    });
  }, []);
  const answer = (value: boolean) => {
    setOpen(false);
    resolver.current(value);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      {/* Above drawers, which may open it. */}
      <Modal opened={open} onClose={() => answer(false)} title={request?.title} zIndex={300}>
        {request && <ConfirmBody key={request.title} request={request} onAnswer={answer} />}
      </Modal>
    </ConfirmContext>
  );
}

function ConfirmBody({ request, onAnswer }: { request: ConfirmRequest; onAnswer: (value: boolean) => void }) {
  const [typed, setTyped] = useState('');
  const ready = request.typed === undefined || typed === request.typed;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onAnswer(true);
      }}
    >
      <Stack gap="lg">
        <div>{request.body}</div>
        {request.typed !== undefined && (
          <TextInput
            label={
              <>
                Type <code>{request.typed}</code> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => onAnswer(false)}>
            Cancel
          </Button>
          <Button
            type="submit"
            {...(request.danger && { color: 'red.9' })}
            disabled={!ready}
            data-autofocus={request.typed === undefined || undefined}
          >
            {request.action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
