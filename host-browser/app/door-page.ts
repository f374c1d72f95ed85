/** What the page needs to explain a text that a user pastes: a bundle that is loaded when the door is opened. */
export { AnswerText } from "./view/answer.tsx";
export { Door } from "./view/door.tsx";
