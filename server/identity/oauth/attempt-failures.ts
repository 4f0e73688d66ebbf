/** The message for the person when a decision about the request of an app fails. */

export type DecisionFailure = 'RequestNotFound' | 'WrongAccount' | 'WrongNumber' | 'SignInRequired'

export const failureTexts: Readonly<Record<DecisionFailure, string>> = {
  RequestNotFound: 'The request of the app has expired, or was answered already. Start again in the app.',
  WrongAccount: 'The app asks for another account. Sign in with that one.',
  WrongNumber: 'The browser shows another number, so the app may not sign in. Start again in the app.',
  SignInRequired: 'The app asks for a new sign-in. Enter your password again.',
}
