/**
 * Drafts of posts, per account and context. Text and language are in local storage, shared by all tabs, and survive a sign-out.
 * Pictures are kept until the page is closed.
 */
import type { PostContext } from '../../api/post-record.ts'
import { isPostOf, type PostPicture } from '../../api/posts.ts'
import { createStore, useStore } from '../../store.ts'

export interface Picture extends PostPicture {
  readonly id: string
}

export interface Draft {
  readonly text: string
  readonly language?: string | undefined
  /** The key of the record, once there was an attempt to post it. */
  readonly rkey?: string | undefined
  readonly pictures: readonly Picture[]
}

const storageKey = 'pds.drafts'
/** Older drafts are forgotten. */
const maxDrafts = 20
/** In UTF-16 code units. Enough for a text that is shortened to a post, and fast to count. */
export const maxDraftLength = 10_000

const empty: Draft = { text: '', pictures: [] }

/** By identifier; the last changed one is the last. */
type Drafts = ReadonlyMap<string, Draft>

const drafts = createStore<Drafts>(read(new Map()))

window.addEventListener('storage', ({ key }) => {
  if (key === storageKey || key === null) drafts.set(read(drafts.get()))
})

/** Identifies the draft of an account for a new post, a reply or a quote. */
export function draftId(did: string, { replyTo, quote }: PostContext): string {
  return [did, replyTo && `reply ${replyTo.uri}`, quote && `quote ${quote.uri}`].filter(Boolean).join(' ')
}

export function useDraft(id: string): Draft {
  return useStore(drafts).get(id) ?? empty
}

/** Whether a draft has pictures, which only this page has. */
export function useHasPictures(): boolean {
  return [...useStore(drafts).values()].some(({ pictures }) => pictures.length > 0)
}

/** Changes a draft and stores it. An empty one is forgotten. */
export function changeDraft(id: string, change: (draft: Draft) => Draft): void {
  const changed = new Map(drafts.get())
  const draft = change(changed.get(id) ?? empty)
  changed.delete(id)
  if (draft.text !== '' || draft.pictures.length > 0)
    changed.set(id, { ...draft, text: draft.text.slice(0, maxDraftLength) })
  drafts.set(changed)
  write(changed)
}

/** Removes what was posted. What another tab has written meanwhile stays. */
export function removePosted(id: string, posted: Draft): void {
  changeDraft(id, ({ text, language, pictures }) => ({
    text: text === posted.text ? '' : text,
    language,
    pictures: pictures.filter((picture) => !posted.pictures.includes(picture)),
  }))
}

/**
 * Removes a draft whose attempt has arrived. Content that was changed since becomes a new post.
 * @param record of the post @returns whether the draft had this attempt
 */
export function settleAttempt(id: string, rkey: string, record: unknown): boolean {
  const draft = drafts.get().get(id)
  if (draft?.rkey !== rkey) return false
  if (isPostOf(record, draft)) changeDraft(id, () => empty)
  else changeDraft(id, (changed) => ({ ...changed, rkey: undefined }))
  return true
}

/** Returns the content of a deleted post to its draft, before what was written since. */
export function returnToDraft(id: string, { text, language, pictures }: Draft): void {
  changeDraft(id, (draft) => ({
    text: [text, draft.text].filter((part) => part !== '').join('\n\n'),
    language,
    pictures: [...pictures, ...draft.pictures],
  }))
}

/** @param before the drafts of this page, which keep their pictures */
function read(before: Drafts): Drafts {
  const pictured = [...before].flatMap(([id, { text, pictures, ...draft }]) =>
    // Text that another tab has removed was posted: the key is taken then.
    pictures.length > 0 ? [[id, { ...(text === '' ? draft : {}), text: '', pictures }] as const] : [],
  )
  const stored = parse(localStorage.getItem(storageKey)).map(
    ([id, draft]) => [id, { ...draft, pictures: before.get(id)?.pictures ?? [] }] as const,
  )
  return new Map([...pictured, ...stored])
}

function write(changed: Drafts): void {
  const stored = [...changed]
    .filter(([, { text }]) => text !== '')
    .slice(-maxDrafts)
    .map(([id, { text, language, rkey }]) => [id, { text, language, rkey }])
  try {
    localStorage.setItem(storageKey, JSON.stringify(stored))
  } catch {
    // The storage is full or forbidden. The draft is in memory.
  }
}

function parse(text: string | null): readonly (readonly [string, Omit<Draft, 'pictures'>])[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter(isStored) : []
  } catch {
    return []
  }
}

function isStored(entry: unknown): entry is [string, Omit<Draft, 'pictures'>] {
  if (!Array.isArray(entry)) return false
  const [id, draft] = entry
  return (
    typeof id === 'string' &&
    typeof draft?.text === 'string' &&
    isTextOrAbsent(draft.language) &&
    isTextOrAbsent(draft.rkey)
  )
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
