import type { Main, Query } from '@atproto/lex-schema'
import { com } from '../../../lexicons/generated/index.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import type { t } from '../../strings/en.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { useNow } from '../../ui/time.tsx'
import styles from './unused.module.css'

const unusedMs = 90 * 24 * 60 * 60_000

interface Used {
  readonly createdAt: string
  readonly lastUsedAt?: string | undefined
}

interface UnusedButtonProps<T> {
  readonly items: readonly T[]
  readonly words: typeof t.appPasswords.unused
  nameOf(item: NoInfer<T>): string
  end(did: string, item: NoInfer<T>): Promise<unknown>
}

/** A button that ends everything unused for 90 days, after a dialog with the names. Shown if there is any. */
export function UnusedButton<T extends Used>({ items, words, nameOf, end }: UnusedButtonProps<T>) {
  const before = useNow() - unusedMs
  const unused = items.filter(({ createdAt, lastUsedAt }) => Date.parse(lastUsedAt ?? createdAt) < before)
  if (unused.length === 0) return null
  return (
    <DialogButton
      dialog={(close) => (
        <UnusedDialog
          names={unused.map(nameOf)}
          onClose={close}
          run={async (did) => {
            for (const item of unused) await end(did, item)
          }}
          words={words}
        />
      )}
    >
      {words.button}
    </DialogButton>
  )
}

interface UnusedDialogProps {
  readonly names: readonly string[]
  readonly words: UnusedButtonProps<never>['words']
  run(did: string): Promise<void>
  onClose(): void
}

const invalidates: readonly Main<Query>[] = [com.core.server.listAppPasswords, com.core.server.listSessions]

function UnusedDialog({ names, words, run, onClose }: UnusedDialogProps) {
  const end = useDialogWork({
    run: (_, did) => run(did),
    invalidates,
    done: words.done(names.length),
    onClose,
  })
  return (
    <ConfirmDialog {...end} action={words.action} title={words.title(names.length)}>
      <p>{words.text}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul aria-label={words.list} className={styles.names} tabIndex={0}>
        {names.map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two apps may have the same name
          <li key={index}>{name}</li>
        ))}
      </ul>
    </ConfirmDialog>
  )
}
