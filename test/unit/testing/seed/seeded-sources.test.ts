import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createPasswordHasher } from '../../../../server/identity/auth/passwords.ts'
import { generateTotpKey } from '../../../../server/identity/factors/totp.ts'
import { createTidClock } from '../../../../server/repository/format/tid.ts'
import { createDeterministicSigner } from '../../../../server/testing/seed/deterministic-signer.ts'
import { createRandomStream } from '../../../../server/testing/seed/random-stream.ts'
import { createSeededSources } from '../../../../server/testing/seed/seeded-sources.ts'
import { backoffMs } from '../../../../server/util/backoff.ts'
import { pause, realTime } from '../../../../server/util/deadlines.ts'
import { createSigningKey, isSignedBy, sign } from '../../../../server/util/keys.ts'
import {
  randomBytes,
  randomFraction,
  randomGroups,
  randomId,
  randomInt,
  temporaryName,
} from '../../../../server/util/random.ts'
import { replaceSources } from '../../../../server/util/sources.ts'
import { setTimeout, sleep, systemTime } from '../../../../server/util/timers.ts'

const start = new Date('2030-01-01T00:00:00.000Z')

function begin(seed?: string | number) {
  const sources = createSeededSources({ seed, start })
  const putBack = replaceSources(sources)
  const end = () => {
    putBack()
    sources.close()
  }
  onTestFinished(end)
  return { ...sources, end }
}

/** Draws one of each value that leaves a trace. */
async function draw(seed?: string | number) {
  const { end } = begin(seed)
  const key = await createSigningKey()
  const passwords = createPasswordHasher({ cost: 4 })
  const hash = await passwords.hash('a password', '127.0.0.1')
  await passwords.close()
  const values = {
    ...{ key: key.did, signature: Buffer.from(sign(key.privateKey, Buffer.of(1, 2))).toString('hex') },
    ...{ id: randomId(), code: randomGroups(2, 5), number: randomInt(1_000_000), bytes: randomBytes(33) },
    ...{
      tid: createTidClock(systemTime)(),
      time: systemTime(),
      totp: generateTotpKey('a', 'b').secret,
      hash,
    },
  }
  end()
  return values
}

test('the same seed gives the same keys, signatures, identifiers, codes, password hashes and times', async () => {
  const first = await draw(7)
  expect(await draw('7')).toEqual(first)
  const other = await draw(8)
  const same = Object.entries(first).filter(([name, value]) => Object(other)[name] === value)
  expect(same).toEqual([])
})

test('without a seed, values are those of the system and the clock is logical', async () => {
  const [one, other] = [await draw(), await draw()]
  expect(one.key).not.toBe(other.key)
  expect(one.id).not.toBe(other.id)
  expect(one.time).toEqual(start)
})

test('names of temporary files and jitter change none of the other values', () => {
  const ids = (more: () => unknown) => {
    const { end } = begin(7)
    more()
    const drawn = [randomId(), randomId()]
    end()
    return drawn
  }
  const jitter = () => backoffMs({ firstMs: 1, longestMs: 2, jitter: [0, 1] }, 0)
  const few = ids(() => {})
  expect(ids(() => [temporaryName(), randomFraction(), jitter(), temporaryName(6)])).toEqual(few)
  begin(7)
  expect(temporaryName()).toMatch(/^[\da-f]{24}$/)
  expect(temporaryName()).not.toBe(temporaryName())
})

test('numbers are below their limit, and all of them occur', () => {
  begin(7)
  const numbers = Array.from({ length: 1000 }, () => randomInt(10))
  expect([...new Set(numbers)].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(randomInt(1)).toBe(0)
  const fractions = Array.from({ length: 100 }, randomFraction)
  expect(fractions.every((number) => number >= 0 && number < 1)).toBe(true)
})

test('bytes of a stream do not depend on how many are drawn at once', () => {
  const [whole, parts] = [createRandomStream('seed', 'kind'), createRandomStream('seed', 'kind')]
  expect(Buffer.concat([1, 31, 0, 40, 28].map(parts))).toEqual(whole(100))
  expect(createRandomStream('seed', 'other')(100)).not.toEqual(createRandomStream('seed', 'kind')(100))
})

test('signatures are those of RFC 6979, low-S, and valid', async () => {
  // RFC 6979, A.2.5: P-256 with SHA-256. Its s is high, and atproto requires the lower of the two.
  const key = Buffer.from('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721', 'hex')
  const signature = Buffer.from(createDeterministicSigner(key)(Buffer.from('sample'))).toString('hex')
  const [r, s] = [signature.slice(0, 64), BigInt(`0x${signature.slice(64)}`)]
  expect(r).toBe('efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716')
  const published = 0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8n
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  expect(s).toBe(order - published)
  begin(7)
  const { did, privateKey } = await createSigningKey()
  for (let n = 0; n < 20; n++) {
    const message = createHash('sha256').update(String(n)).digest()
    expect(await isSignedBy(did, message, sign(privateKey, message))).toBe(true)
  }
})

test('due timers follow the logical clock, deadlines the clock of the machine', async () => {
  const { advance, now, tick } = begin(7)
  const runs: string[] = []
  setTimeout(() => runs.push('timer'), 60_000)
  void sleep(120_000).then(() => runs.push('sleep'))
  await pause(5)
  expect(runs).toEqual([])
  await advance(60_000)
  expect(runs).toEqual(['timer'])
  await advance(60_000)
  expect(runs).toEqual(['timer', 'sleep'])
  tick()
  expect(systemTime()).toEqual(now())
  expect(now().getTime() - start.getTime()).toBe(120_001)
  expect(Math.abs(realTime() - Date.now())).toBeLessThan(60_000)
})

test('a sleep ends with the reason of its signal', async () => {
  begin(7)
  const over = new AbortController()
  const asleep = sleep(1000, { signal: over.signal })
  over.abort(new Error('stopped'))
  await expect(asleep).rejects.toThrow('stopped')
  await expect(sleep(1000, { signal: over.signal })).rejects.toThrow('stopped')
})

test('sources are replaced once at a time, and put back', () => {
  const { end } = begin(7)
  expect(() => replaceSources({})).toThrow('replaced already')
  end()
  expect(Math.abs(systemTime().getTime() - Date.now())).toBeLessThan(60_000)
  const next = begin(8)
  // The function of the first replacement does not end the second.
  end()
  expect(systemTime()).toEqual(start)
  next.end()
})
