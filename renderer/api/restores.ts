/**
 * Restores of the server. The desktop runs them itself, also while the server is stopped. A browser asks the server, which stops for a while
 * and starts again with other data: the session may end with that.
 */
import type { DatetimeString } from '@atproto/lex-schema'
import { useQuery } from '@tanstack/react-query'
import type { Restored, RestorePreview, RestoreSource } from '../../electron/ground/bridge.ts'
import { com } from '../../lexicons/generated/index.ts'
import { desktop } from '../bridge.ts'
import { createStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { useIsOwner } from './account.ts'
import { errorName } from './call-errors.ts'
import { type Body, callAs, SessionEnded } from './client.ts'
import { restoreProgress } from './copies.ts'
import { callDesktop, DesktopError } from './desktop.ts'
import { isAtServer } from './endpoint.ts'
import type { Proof } from './passkeys.ts'
import { untilAnswer } from './restarts.ts'
import { useMaybeSession } from './sessions.ts'

const {
  cancelRestore,
  deleteReplacedData,
  getRestore,
  listReplacedData,
  openRestore,
  restoreServer,
  undoRestore,
} = com.core.admin

type State = Body<typeof getRestore.main>

/** @property id names it for the server, in a browser */
export interface OpenedState extends RestorePreview {
  readonly id?: string
}

/** A large copy is fetched through a slow connection. */
const limitMs = 24 * 60 * 60_000
const silentMs = 60_000

/** Whether a minute has passed without an answer: the data of the server are replaced, or its program has ended. */
export const isSilent = createStore(false)

/** Reads the data that restores have replaced, newest first. */
export async function readReplaced(did: string) {
  return desktop ? callDesktop('backups.replaced') : (await callAs(did, listReplacedData, {})).data
}

/**
 * Whether this page can restore the server: an app that runs a server does so in its own window. Undefined until the server has answered.
 */
export function useRestoresHere(): boolean | undefined {
  const did = useMaybeSession()?.did ?? ''
  const isOwner = useIsOwner()
  const { data } = useQuery({
    queryKey: [did, 'restores here'],
    queryFn: ({ signal }) => callAs(did, getRestore, { signal }).then(() => true, falseIfElsewhere),
    enabled: !desktop && isAtServer && isOwner,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return desktop ? true : data
}

/** @throws other errors than the one that says that restores are elsewhere */
function falseIfElsewhere(error: unknown): boolean {
  if (errorName(error) === 'RestoreElsewhere') return false
  throw error
}

/** The preview that this page has opened last, in a browser. */
let opening: Promise<{ readonly id: string }> | undefined

/** Reads what a restore would bring back. @throws DesktopError with a sentence for people */
export async function preview(did: string, source: RestoreSource, at?: string): Promise<OpenedState> {
  if (desktop) return callDesktop('restore.preview', source, at)
  const body = {
    ...(source.from === 'place' && { url: source.url }),
    ...(at !== undefined && { at: at as DatetimeString }),
  }
  opening = callAs(did, openRestore, { body })
  const { id } = await opening
  const { id: openedId, preview: opened } = await untilEnd(did, 'opening', id)
  if (!opened || openedId !== id) throw new DesktopError(t.restoring.closed)
  const { at: createdAt, ...content } = opened
  return { ...content, id, createdAt, handles: opened.handles }
}

/** Restores what was previewed. */
export async function restore(
  did: string,
  [source, at]: readonly [source: RestoreSource, at?: string | undefined],
  opened: OpenedState,
  proof: Proof,
): Promise<Restored> {
  if (desktop) return callDesktop('restore.run', source, at, opened.loss)
  await callAs(did, restoreServer, { body: { id: opened.id ?? '', ...proof } })
  return untilRestored(did, { at: opened.createdAt, missingMedia: opened.missingBlobs, replaced: '' })
}

/** Puts replaced data back. */
export async function putBack(did: string, name: string, at: string, proof: Proof): Promise<unknown> {
  if (desktop) return callDesktop('restore.undo', name)
  await callAs(did, undoRestore, { body: { name, ...proof } })
  return untilRestored(did, { at, missingMedia: 0, replaced: '' })
}

export async function forget(did: string, name: string, proof: Proof): Promise<unknown> {
  if (desktop) return callDesktop('backups.forget', name)
  return callAs(did, deleteReplacedData, { body: { name, ...proof } })
}

/** Ends a preview. */
export async function cancel(did: string): Promise<void> {
  if (desktop) return callDesktop('restore.cancel')
  const body = await opening?.catch(() => undefined)
  // A session that has ended has no preview either.
  if (body) await callAs(did, cancelRestore, { body }).catch(() => {})
}

/** @param expected the result if the restored data lack the session that would read it */
async function untilRestored(did: string, expected: Restored): Promise<Restored> {
  try {
    const { result } = await untilEnd(did, 'restoring')
    return result ?? expected
  } catch (error) {
    if (error instanceof SessionEnded) return expected
    throw error
  }
}

/**
 * Waits for the end of a step, and reports its progress. @param id of the preview, which another page may replace
 * @throws DesktopError with a sentence for people if it failed
 */
async function untilEnd(did: string, step: State['step'], id?: string): Promise<State> {
  let answeredAt = performance.now()
  const state = await untilAnswer(
    async () => {
      const answer = await callAs(did, getRestore, {}).catch((error: unknown) => {
        isSilent.set(performance.now() - answeredAt > silentMs)
        throw error
      })
      answeredAt = performance.now()
      isSilent.set(false)
      restoreProgress.set(answer.progress as Parameters<typeof restoreProgress.set>[0])
      return answer
    },
    (answer) => answer.step !== step || (id !== undefined && answer.id !== id),
    limitMs,
  ).finally(() => isSilent.set(false))
  restoreProgress.set(undefined)
  if (state.step === 'failed') throw new DesktopError(state.message ?? '')
  return state
}
