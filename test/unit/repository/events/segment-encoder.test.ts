/** Encoding of segments: as the general encoder, in memory that is used again. */
import { decode, encode } from '@atproto/lex-cbor'
import { expect, test } from 'vitest'
import { createSegmentEncoder } from '../../../../server/repository/events/segment-encoder.ts'
import type { ArchivedEvent } from '../../../../server/repository/events/segment-files.ts'

const copy = async (content: Uint8Array) => content.slice()

function eventsOf(did: string, count: number): ArchivedEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    seq: 2 ** i,
    kind: 'commit',
    did,
    frame: new Uint8Array(Buffer.from(did.repeat(i))),
  }))
}

test.each([0, 1, 23, 24, 40])('%i events are written as by the general encoder', async (count) => {
  const events = eventsOf('did:web:ä.example', count)
  const content = await createSegmentEncoder().encode([events.slice(0, 10), events.slice(10)], copy)
  expect(Buffer.from(content)).toEqual(Buffer.from(encode(events.map((event) => ({ ...event })))))
})

test('a segment has nothing of a longer one before it', async () => {
  const encoder = createSegmentEncoder()
  await encoder.encode([eventsOf('did:web:long.example', 40)], copy)
  const short = eventsOf('did:web:short.example', 2)
  const content = await encoder.encode([short], copy)
  expect(decode(content)).toEqual(short.map((event) => ({ ...event, frame: new Uint8Array(event.frame) })))
})

test('a failure leaves the encoder usable', async () => {
  const encoder = createSegmentEncoder()
  const failing = encoder.encode([eventsOf('did:web:a.example', 3)], () => Promise.reject(new Error('disk')))
  await expect(failing).rejects.toThrow('disk')
  const events = eventsOf('did:web:b.example', 3)
  expect(Buffer.from(await encoder.encode([events], copy))).toEqual(
    Buffer.from(encode(events.map((event) => ({ ...event })))),
  )
})

test('segments that are encoded at the same time have their own memory', async () => {
  const encoder = createSegmentEncoder()
  await encoder.encode([eventsOf('did:web:long.example', 40)], copy)
  const first = Promise.withResolvers<void>()
  const a = encoder.encode([eventsOf('did:web:a.example', 5)], async (content) => {
    await first.promise
    return content.slice()
  })
  const b = await encoder.encode([eventsOf('did:web:b.example', 5)], copy)
  first.resolve()
  expect(Buffer.from(await a).toString('latin1')).not.toContain('did:web:b.example')
  expect(Buffer.from(b).toString('latin1')).not.toContain('did:web:a.example')
})
