/** Rate limits. They are only reached if the one who measures asks for it. */
import { randomGroups } from '../../../util/random.ts'
import { expectError } from '../answers.ts'
import { info, type Requirement } from '../requirement.ts'
import { reference } from '../sources.ts'
import { expect, Skipped } from '../verdict.ts'

/** Guesses after which a server is taken to have no limit. */
const maxGuesses = 200

export const limits: readonly Requirement[] = [
  info(
    'limits.headers',
    'Answers say how many calls are left',
    reference('rate-limiter'),
    async ({ call }) => {
      const input = { identifier: 'absent.example.com', password: 'a wrong password' }
      const { headers } = await call('com.atproto.server.createSession', { input })
      const found = ['limit', 'remaining', 'reset', 'policy'].map((name) => headers.get(`ratelimit-${name}`))
      expect(
        found.every((value) => value !== null),
        'the RateLimit headers are absent',
      )
      return found.join(' · ')
    },
  ),
  info(
    'limits.guesses',
    'Guesses of a password end in RateLimitExceeded, with the time until the next',
    reference('rate-limiter'),
    async ({ call, reachesLimits }) => {
      if (!reachesLimits) throw new Skipped('it needs to reach a limit of this computer: --limits')
      const input = { identifier: `absent-${randomGroups(1, 8)}.example.com`, password: 'a wrong password' }
      for (let guess = 1; guess <= maxGuesses; guess++) {
        const answer = await call('com.atproto.server.createSession', { input })
        if (answer.status !== 429) continue
        expectError(answer, [429], ['RateLimitExceeded'])
        const { headers } = answer
        const reset = headers.get('retry-after') ?? headers.get('ratelimit-reset')
        expect(reset !== null, 'Retry-After and RateLimit-Reset are absent')
        return `guess ${guess} was refused`
      }
      expect(false, `${maxGuesses} guesses were answered`)
    },
  ),
]
