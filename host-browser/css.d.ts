/** The bundler puts imported style sheets into one file beside the script. */
declare module "*.css";
