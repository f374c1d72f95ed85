/** The bundler turns an import of a YAML file into its text. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
