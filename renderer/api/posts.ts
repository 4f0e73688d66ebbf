/** Posts that the current account writes. */
import type { TypedBlobRef } from '@atproto/lex-data'
import { app, com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { errorName } from './call-errors.ts'
import { callAs } from './client.ts'
import { type Finding, findFeatures } from './facets.ts'
import { useWork } from './hooks.ts'
import { type Image, type PostContext, postRecord } from './post-record.ts'
import { blobsOf, findRecord } from './record-removal.ts'
import { newTid } from './tid.ts'

const { deleteRecord, putRecord, uploadBlob } = com.core.repo
const { getAuthorFeed, getPosts, getPostThread, getTimeline, post } = app.example.feed
const { getProfile } = app.example.actor

/** The queries whose responses change with a post of this account. */
const changed = [getTimeline, getAuthorFeed, getPosts, getPostThread, getProfile]

/** Limits of a post. */
export const maxGraphemes = 300
export const maxTextBytes = 3000
export const maxPictures = 4

/** How long a server may take to find a handle, in milliseconds. */
const handleTimeoutMs = 5000
/** How long it may take to answer. An attempt after that finds a post that arrived. */
const answerTimeoutMs = 30_000
/** How long it may take to receive a picture, over a slow connection. */
const uploadTimeoutMs = 120_000

export interface PostPicture {
  readonly file: Blob
  readonly width: number
  readonly height: number
  readonly alt: string
}

export interface NewPost extends PostContext {
  /** The record key, chosen before the first attempt. */
  readonly rkey: string
  /** Whether there was an attempt before, which may have arrived although its answer was lost. */
  readonly isRepeated: boolean
  readonly text: string
  /** A language tag. */
  readonly language: string
  readonly pictures: readonly PostPicture[]
  /** Called before each upload. @param at index of the picture */
  onUpload?(at: number): void
}

export interface Posted {
  readonly uri: string
  /** Handles in the text that no account was found for. */
  readonly unknownHandles: readonly string[]
}

/** Writes posts. */
export function usePosting<I extends NewPost>(effects: {
  readonly mutationKey: readonly unknown[]
  onSuccess(posted: Posted, input: I): void
  onError(error: Error): void
}) {
  return useWork((did, input: I) => createPost(did, input), changed, effects)
}

/** Deletes posts. */
export function useDeletePost<I extends { readonly uri: string }>(effects: {
  onSuccess(result: unknown, input: I): void
  onError(error: Error): void
}) {
  return useWork((did, { uri }: I) => deletePost(did, uri), changed, effects)
}

async function createPost(did: string, { onUpload, ...input }: NewPost): Promise<Posted> {
  const arrived = input.isRepeated ? await findPost(did, input.rkey) : undefined
  if (arrived && isPostOf(arrived.value, input)) return { uri: arrived.uri, unknownHandles: [] }
  // The record that arrived has other content, which readers may have seen: it stays, and this becomes a second post.
  const rkey = arrived ? newTid() : input.rkey
  const text = postText(input.text)
  const features = findFeatures(text)
  const { dids, unknownHandles } = await resolveHandles(did, features)
  const images = await upload(did, input.pictures, onUpload)
  const record = postRecord({ ...input, text, features, dids, images }, new Date())
  const body = { repo: did, collection: post.$nsid, rkey, record } as never
  const { uri } = await callAs(did, putRecord, { body, signal: AbortSignal.timeout(answerTimeoutMs) })
  return { uri, unknownHandles }
}

/** Returns the post of an earlier attempt; undefined if there is none. */
function findPost(did: string, rkey: string) {
  return findRecord(did, post.$nsid, rkey, AbortSignal.timeout(answerTimeoutMs))
}

/** Whether a record is what would be posted. */
export function isPostOf(record: unknown, { text, pictures }: Pick<NewPost, 'text' | 'pictures'>): boolean {
  const posted = record as { readonly text?: unknown }
  return posted.text === postText(text) && blobsOf(record).length === pictures.length
}

/** The text as it is posted. */
export function postText(text: string): string {
  return text.trim().toWellFormed()
}

async function resolveHandles(did: string, features: readonly Finding[]) {
  const handles = new Set(features.flatMap((feature) => (feature.kind === 'mention' ? [feature.handle] : [])))
  const dids = new Map<string, string>()
  const resolve = async (handle: string) => {
    const found = await resolveHandle(did, handle)
    if (found !== undefined) dids.set(handle, found)
  }
  await Promise.all([...handles].map(resolve))
  return { dids, unknownHandles: [...handles].filter((handle) => !dids.has(handle)) }
}

async function resolveHandle(did: string, handle: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(handleTimeoutMs)
  try {
    return (
      await callAs(did, com.core.identity.resolveHandle, { params: { handle: handle as never }, signal })
    ).did
  } catch (error) {
    // The server has responded, or still asks another server. In every other case the post would fail too.
    if (errorName(error) !== undefined || signal.aborted) return undefined
    throw error
  }
}

async function upload(did: string, pictures: readonly PostPicture[], onUpload?: (at: number) => void) {
  const images: Image[] = []
  for (const [at, { file, width, height, alt }] of pictures.entries()) {
    onUpload?.(at)
    const signal = AbortSignal.timeout(uploadTimeoutMs)
    const { blob } = await callAs(did, uploadBlob, { body: file, signal })
    images.push({ image: blob as TypedBlobRef, alt: alt.trim(), aspectRatio: { width, height } })
  }
  return images
}

async function deletePost(did: string, uri: string): Promise<void> {
  const { collection, rkey } = parseAtUri(uri)
  await callAs(did, deleteRecord, { body: { repo: did, collection, rkey } as never })
}
