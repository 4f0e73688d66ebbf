/** Rate limits, as far as they can be seen without reaching one. */
import { info, type Requirement } from '../requirement.ts'
import { reference } from '../sources.ts'
import { expect } from '../verdict.ts'

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
]
